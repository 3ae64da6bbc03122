package momentum

import (
	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// redCards returns the red cards of both sides, and whether both are known. A second yellow card
// is one of them, so second_yellow_cards are not counted again.
func redCards(counters []football.Counter) (red counter.Pair, known bool) {
	red, known = counter.Of(counters, football.RedCards)
	if !known || max(red[0], red[1]) > rules.MaxRed {
		return counter.Pair{}, false
	}
	return red, true
}

// keeps returns each side's kept part for a number of red cards.
func keeps(red counter.Pair) [2]rules.Fraction {
	return [2]rules.Fraction{rules.KeepsWhenShort[min(max(red[0]-red[1], 0), rules.MaxShort)], rules.KeepsWhenShort[min(max(red[1]-red[0], 0), rules.MaxShort)]}
}

// Kept returns each side's kept part of its pressure in momentum for a counter of red cards, as
// "1" or a fraction such as "2/3". known reports whether the counter is known for both sides.
func Kept(red football.Counter) (home, away string, known bool) {
	counted, known := redCards([]football.Counter{red})
	k := keeps(counted)
	return k[0].String(), k[1].String(), known
}
