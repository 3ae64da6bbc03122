package proof

import (
	"slices"

	"mkt/fetch/input"
	"mkt/transform/markets/price"
	"mkt/transform/markets/token"
	"mkt/transform/markets/wording"
)

// A total with three outcomes is distinguished from one with two by its rows and their prices,
// line by line: bookmakers mix them under one name. The chances of all outcomes of one bet add up
// to 1 and the bookmaker's margin. So over and under alone reach this sum if they are the only
// outcomes, and stay below it if Exactly is a third one.
const (
	mostTotal  = 1.20 // of over, exactly and under
	clearThree = 1.00 // the bound of over and under alone, to be two of three
)

// threeWay is the evidence about one line of a three-way total.
type threeWay struct {
	line                 token.Quarters
	about                wording.Side
	over, exactly, under lineOutcome
	verdict              lineVerdict
}

// lineOutcome is one outcome of a line.
type lineOutcome struct {
	met    bool
	chance float64 // 0 if it has no price
}

type lineVerdict uint8

const (
	isDoubtful lineVerdict = iota
	isThreeWay
	isTwoWay
	isPair // over and under alone have the prices of a bet, and there is no Exactly
)

// proveTotals marks the rows of a three-way total whose line is not proven. If the provider's
// name does not say that the total is three-way, prices must prove it. Lines that cannot be
// three-way are marked as two-way, if the table has such a market.
func proveTotals(readings []wording.Reading, o *input.Offer) {
	lines := threeWaysOf(readings, o)
	proven, refuted := false, false
	for i := range lines {
		l := &lines[i]
		l.verdict = l.judge(o.TwoWay != nil)
		proven = proven || l.verdict == isThreeWay
		refuted = refuted || l.verdict == isTwoWay
	}
	for i := range lines {
		if l := &lines[i]; l.verdict == isPair && refuted && !proven {
			l.verdict = isTwoWay
		}
	}
	for i := range readings {
		rd := &readings[i]
		if rd.Reason != "" {
			continue
		}
		verdict := lines[findThreeWay(lines, rd)].verdict
		rd.Doubtful = verdict != isThreeWay
		rd.TwoWay = o.TwoWay != nil && verdict == isTwoWay && rd.Selection != "EXACTLY"
	}
}

// threeWaysOf gathers the rows by line.
func threeWaysOf(readings []wording.Reading, o *input.Offer) (lines []threeWay) {
	for i := range readings {
		rd := &readings[i]
		if rd.Reason != "" {
			continue
		}
		at := findThreeWay(lines, rd)
		if at < 0 {
			at = len(lines)
			lines = append(lines, threeWay{line: rd.Line, about: rd.About})
		}
		l := &lines[at]
		outcome := l.outcome(rd.Selection)
		outcome.met = true
		if outcome.chance == 0 { // a second price of it adds nothing
			outcome.chance = price.Chance(&o.Rows[i])
		}
	}
	return lines
}

func (l *threeWay) outcome(selection string) *lineOutcome {
	switch selection {
	case "OVER":
		return &l.over
	case "UNDER":
		return &l.under
	}
	return &l.exactly
}

func findThreeWay(lines []threeWay, rd *wording.Reading) int {
	return slices.IndexFunc(lines, func(l threeWay) bool { return l.line == rd.Line && l.about == rd.About })
}

// judge decides about a line. byPrices is set if only its prices can prove it.
func (l *threeWay) judge(byPrices bool) lineVerdict {
	pair := l.over.chance + l.under.chance
	if l.over.chance == 0 || l.under.chance == 0 {
		pair = 0
	}
	sum := pair + l.exactly.chance
	full := pair > 0 && l.exactly.chance > 0
	isBook := pair >= price.LeastPair && pair <= mostBook
	switch {
	case !l.exactly.met && isBook:
		return isPair
	case !l.exactly.met:
		return isDoubtful
	case full && pair >= clearThree && sum > mostTotal:
		if isBook {
			return isTwoWay
		}
		return isDoubtful
	case byPrices && !(full && pair < clearThree && sum >= leastBook && sum <= mostTotal):
		return isDoubtful
	}
	return isThreeWay
}
