package markets

import (
	"mkt/publish/football"
	"mkt/transform/markets/price"
	"mkt/transform/markets/token"
	"mkt/transform/markets/wording"
)

// levels are the sides with a line, by line. The buffer is reused.
type levels map[token.Quarters]wording.SideSet

// check marks rows with doubtful lines, and handicaps whose sign the other rows do not
// confirm.
//
// In a handicap the rows of one line mirror each other: goals added to the home side are taken
// from the other. The draw and the away side carry the same sign. So a line proves no convention
// if only one side has it, or only these two. None of its rows can be trusted then.
func (l levels) check(selections []football.Selection, of *part, p *wording.Plan) {
	for k := range selections {
		if of.reading(k).Doubtful {
			price.AddReason(&selections[k], football.AmbiguousShape)
		}
	}
	if !p.Signed {
		return
	}
	clear(l)
	for k := range selections {
		if rd := of.reading(k); rd.Reason == "" && rd.HasLine {
			l[rd.Line] |= 1 << rd.Side
		}
	}
	for k := range selections {
		rd := of.reading(k)
		if rd.Reason == "" && rd.HasLine && !mirrored(l[rd.Line]) {
			price.AddReason(&selections[k], football.UnreadableLine)
		}
	}
}

// mirrored reports whether the sides with a line, as the home side's handicap, include the home
// side and another.
func mirrored(sides wording.SideSet) bool {
	return sides&wording.HomeBit != 0 && sides&^wording.HomeBit != 0
}
