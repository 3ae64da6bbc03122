package markets

import "mkt/publish/football"

// checkLines marks handicaps whose sign the other rows do not confirm.
//
// In a handicap the rows of one line mirror each other. Where another side has
// the opposite line only, the convention the table names does not hold here,
// and no row of the pair can be trusted.
func (d *Deriver) checkLines(selections []football.Selection, rows []int, p *plan) {
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
		if rd.reason == "" && rd.hasLine && rd.line != 0 && !d.mirrored(rd) {
			addReason(&selections[k], football.UnreadableLine)
		}
	}
}

// mirrored tells whether the row's line is another side's as well, or at least
// not the opposite of one.
func (d *Deriver) mirrored(rd *reading) bool {
	own := sideSet(1) << rd.side
	return d.levels[rd.line]&^own != 0 || d.levels[-rd.line]&^own == 0
}

// samePrice tells whether two rows offer the same odds.
func samePrice(a, b *football.OfferRow) bool {
	return a.Decimal == b.Decimal && a.Fractional == b.Fractional
}
