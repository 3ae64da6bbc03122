package proof

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/price"
	"mkt/transform/markets/token"
	"mkt/transform/markets/wording"
)

// Some payloads do not say whether a row of a handicap has the home side's line or its own
// side's, and bookmakers differ. The prices prove it. The rows of one line are all outcomes of
// one bet: their chances add up to 1 and the bookmaker's margin, which is about the same for all
// lines. The chances of rows from different lines do not. Only the draw can be close, because its
// price changes little from line to line: then the margins vary.
//
// Source: provider notes for Sportmonks, section 8 (recorded 2017 to 2025).
const (
	leastBook = 0.95
	mostBook  = 1.15 // of two outcomes
	mostBook3 = 1.25 // of three
)

// proveSign chooses the shape of a handicap's lines by its prices, and turns the lines as read.
// It needs a fitting shape. In a fitting shape, one line in four may be priced oddly. Every other
// fitting shape must be worse: it finds the other outcomes of half as many rows, or its margins
// differ twice as much. No other shape may find more lines among all rows. The prices of rows on
// offer decide, if they can.
func proveSign(readings []wording.Reading, o *input.Offer, p *wording.Plan) football.Reason {
	shapes := []input.Shape{0, input.OwnSideLine}
	if p.Term.Line == football.EuropeanHandicap {
		shapes = append(shapes, input.DrawHasAwaySign)
	}
	differs := false // some line other than 0 is not the home side's
	for i := range readings {
		rd := &readings[i]
		differs = differs || rd.Reason == "" && rd.HasLine && rd.Line != 0 && rd.Side != wording.Home
	}
	if !differs {
		return ""
	}
	proven, best := input.Shape(0), books{}
	var others []books
	for _, shape := range shapes {
		b := booksOf(readings, o, p, shape, false)
		if b.full == 0 {
			b = booksOf(readings, o, p, shape, true)
		}
		if b.lines == 0 || 4*b.bad > b.full {
			continue
		}
		if b.full > 0 && b.isBetter(best) {
			proven, b, best = shape, best, b
		}
		others = append(others, b)
	}
	if best.full == 0 || slices.ContainsFunc(others, func(b books) bool { return b.lines > best.lines || b.full > 0 && !best.isMuchBetter(b) }) {
		return football.AmbiguousShape
	}
	if o.Reading.Condition == input.NeedsSigns && (proven == input.OwnSideLine) != (p.Term.Line == football.AsianHandicap) {
		return football.ConditionFailed
	}
	for i := range readings {
		if rd := &readings[i]; rd.Reason == "" && rd.HasLine && wording.IsTurned(rd.Side, proven) {
			rd.Line = -rd.Line
		}
	}
	return ""
}

// books are the lines other than 0 with a price for every outcome.
type books struct {
	lines       int     // lines with a row for every outcome, with or without a price
	full, bad   int     // all books, and those whose chances are not of one bet
	least, most float64 // the sums of chances
}

func (b books) spread() float64 { return b.most - b.least }

// isBetter reports whether b has more lines than others, or as many with smaller differences of
// the margins.
func (b books) isBetter(others books) bool {
	return b.full > others.full || b.full == others.full && b.spread() < others.spread()
}

// isMuchBetter reports whether b has twice the lines of others, or no fewer, with half the
// differences of the margins.
func (b books) isMuchBetter(others books) bool {
	return b.full >= 2*others.full || b.full >= others.full && b.spread() < others.spread() && 2*b.spread() <= others.spread()
}

// booksOf finds the books under the assumption of a shape.
func booksOf(readings []wording.Reading, o *input.Offer, p *wording.Plan, shape input.Shape, suspended bool) (found books) {
	type book struct {
		rows   wording.SideSet // all of them
		sides  wording.SideSet // those that count
		chance float64
	}
	lines := make(map[token.Quarters]book)
	for i := range readings {
		rd := &readings[i]
		chance := price.Chance(&o.Rows[i])
		if rd.Reason != "" || !rd.HasLine || rd.Line == 0 {
			continue
		}
		line := rd.Line
		if wording.IsTurned(rd.Side, shape) {
			line = -line
		}
		b := lines[line]
		b.rows |= 1 << rd.Side
		counts := chance > 0 && (suspended || !o.Rows[i].Suspended)
		if counts && b.sides&(1<<rd.Side) == 0 { // a second price of it adds nothing
			b.sides |= 1 << rd.Side
			b.chance += chance
		}
		lines[line] = b
	}
	all, most := wording.SideSet(wording.HomeBit|wording.AwayBit), mostBook
	if p.Term.Line == football.EuropeanHandicap {
		all, most = wording.HomeBit|wording.DrawBit|wording.AwayBit, mostBook3
	}
	for _, b := range lines {
		if b.rows == all {
			found.lines++
		}
		if b.sides != all {
			continue
		}
		if b.chance < leastBook || b.chance > most {
			found.bad++
		}
		if found.full++; found.full == 1 {
			found.least, found.most = b.chance, b.chance
		}
		found.least, found.most = min(found.least, b.chance), max(found.most, b.chance)
	}
	return found
}
