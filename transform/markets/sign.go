package markets

import (
	"strconv"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Which line a row of a handicap has, that of the home side or that of its own, is
// not said anywhere, and differs from one bookmaker to the next. The prices prove it:
// the rows of one line are all outcomes of one bet, whose chances are 1 together, and
// more by the bookmaker's margin. Rows that belong to different lines are far from it.
//
// Source: provider notes for Sportmonks, section 8 (recorded 2017 to 2025).
const (
	leastBook = 0.95
	mostBook  = 1.15 // of two outcomes
	mostBook3 = 1.25 // of three
)

// proveSign chooses the shape of a handicap's lines by its prices, and turns the lines
// that were read. It is false when neither shape fits, or both do and say different
// things. Prices of rows that are on offer decide, if they can.
func (d *Deriver) proveSign(o *input.Offer, p *plan) bool {
	turned := input.OwnSideLine
	if p.term.Line == football.EuropeanHandicap {
		turned = input.DrawHasAwaySign
	}
	differs := false // a line other than 0 that is not the home side's
	for i := range d.readings {
		rd := &d.readings[i]
		differs = differs || rd.reason == "" && rd.hasLine && rd.line != 0 && rd.side != home
	}
	if !differs {
		return true
	}
	fits := func(shape input.Shape) bool {
		for _, suspended := range []bool{false, true} {
			if full, bad := d.booksOf(o, p, shape, suspended); full > 0 {
				return bad == 0
			}
		}
		return false
	}
	asHome, asOwn := fits(0), fits(turned)
	if asHome == asOwn {
		return false
	}
	if asOwn {
		claim := *p.claim
		claim.Shape |= turned
		p.claim = &claim
		for i := range d.readings {
			if rd := &d.readings[i]; rd.reason == "" && rd.hasLine && rd.side != home {
				rd.line = -rd.line
			}
		}
	}
	return true
}

// booksOf counts the lines other than 0 of which every outcome has a price, and those
// of them whose chances are not those of one bet, if lines are as shape says.
func (d *Deriver) booksOf(o *input.Offer, p *plan, shape input.Shape, suspended bool) (full, bad int) {
	type book struct {
		sides  sideSet
		chance float64
	}
	books := make(map[quarters]book)
	for i := range d.readings {
		rd := &d.readings[i]
		chance := chanceOf(&o.Rows[i])
		if rd.reason != "" || !rd.hasLine || rd.line == 0 || chance == 0 || o.Rows[i].Suspended && !suspended {
			continue
		}
		line := rd.line
		if shape != 0 && rd.side != home {
			line = -line
		}
		b := books[line]
		if b.sides&(1<<rd.side) != 0 {
			continue // a second price of it says nothing new
		}
		b.sides |= 1 << rd.side
		b.chance += chance
		books[line] = b
	}
	all, most := sideSet(homeBit|awayBit), mostBook
	if p.term.Line == football.EuropeanHandicap {
		all, most = homeBit|drawBit|awayBit, mostBook3
	}
	for _, b := range books {
		if b.sides == all {
			full++
			if b.chance < leastBook || b.chance > most {
				bad++
			}
		}
	}
	return full, bad
}

// chanceOf is the chance that a row's decimal price stands for, 0 if it has none.
func chanceOf(row *input.Row) float64 {
	text, ok := row.Decimal.Get()
	if !ok || !football.PlainDecimal(text) {
		return 0
	}
	price, err := strconv.ParseFloat(text, 64)
	if err != nil || price <= 1 {
		return 0
	}
	return 1 / price
}
