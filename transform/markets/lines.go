package markets

import "mkt/publish/football"

// levels are the sides with a line, by line. The buffer is reused.
type levels map[quarters]sideSet

// check marks rows with doubtful lines, and handicaps whose sign the other rows do not
// confirm.
//
// In a handicap the rows of one line mirror each other: goals added to the home side are taken
// from the other. The draw and the away side carry the same sign. So a line proves no convention
// if only one side has it, or only these two. None of its rows can be trusted then.
func (l levels) check(selections []football.Selection, of *part, p *plan) {
	for k := range selections {
		if of.reading(k).doubtful {
			addReason(&selections[k], football.AmbiguousShape)
		}
	}
	if !p.signed {
		return
	}
	clear(l)
	for k := range selections {
		if rd := of.reading(k); rd.reason == "" && rd.hasLine {
			l[rd.line] |= 1 << rd.side
		}
	}
	for k := range selections {
		rd := of.reading(k)
		if rd.reason == "" && rd.hasLine && !mirrored(l[rd.line]) {
			addReason(&selections[k], football.UnreadableLine)
		}
	}
}

// mirrored reports whether the sides with a line, as the home side's handicap, include the home
// side and another.
func mirrored(sides sideSet) bool { return sides&homeBit != 0 && sides&^homeBit != 0 }
