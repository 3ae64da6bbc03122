package live

import (
	"strconv"

	"mkt/publish/football"
)

// keptPart is the fraction of its pressure which a side keeps with fewer players. Of two sides
// with the same counters, the one with more players has the next shot far more often. It is a
// fraction, and not a factor for one side, so that exchanging the sides exchanges the numbers.
type keptPart struct{ part, whole int64 }

// redCards returns the red cards of both sides, and whether both are known. A second yellow card
// is one of them, so second_yellow_cards are not counted again.
func redCards(counters []football.Counter) (red pair, known bool) {
	red, known = counts(counters, football.RedCards)
	if !known || max(red[0], red[1]) > maxRed {
		return pair{}, false
	}
	return red, true
}

// keeps returns each side's kept part for a number of red cards.
func keeps(red pair) [2]keptPart {
	return [2]keptPart{keepsWhenShort[clamp(red[0]-red[1], 0, maxShort)], keepsWhenShort[clamp(red[1]-red[0], 0, maxShort)]}
}

// of returns the kept part of v. v is at most 2^40.
func (k keptPart) of(v int64) int64 { return v * k.part / k.whole }

func (k keptPart) String() string {
	if k.part == k.whole {
		return "1"
	}
	return strconv.FormatInt(k.part, 10) + "/" + strconv.FormatInt(k.whole, 10)
}

// Kept returns each side's kept part of its pressure in momentum for a counter of red cards, as
// "1" or a fraction such as "2/3". known reports whether the counter is known for both sides.
func Kept(red football.Counter) (home, away string, known bool) {
	counted, known := redCards([]football.Counter{red})
	k := keeps(counted)
	return k[0].String(), k[1].String(), known
}
