package markets

import "mkt/publish/football"

// checkLines marks rows with doubtful lines, and handicaps whose sign the other rows do not
// confirm.
//
// In a handicap the rows of one line mirror each other: goals added to the home side are taken
// from the other. The draw and the away side carry the same sign. So a line proves no convention
// if only one side has it, or only these two. None of its rows can be trusted then.
func (d *Deriver) checkLines(selections []football.Selection, rows []int, p *plan) {
	for k, i := range rows {
		if d.readings[i].doubtful {
			addReason(&selections[k], football.AmbiguousShape)
		}
	}
	if !p.signed {
		return
	}
	clear(d.levels)
	for _, i := range rows {
		if rd := &d.readings[i]; rd.reason == "" && rd.hasLine {
			d.levels[rd.line] |= 1 << rd.side
		}
	}
	for k, i := range rows {
		rd := &d.readings[i]
		if rd.reason == "" && rd.hasLine && !mirrored(d.levels[rd.line]) {
			addReason(&selections[k], football.UnreadableLine)
		}
	}
}

// mirrored reports whether the sides with a line, as the home side's handicap, include the home
// side and another.
func mirrored(sides sideSet) bool { return sides&homeBit != 0 && sides&^homeBit != 0 }
