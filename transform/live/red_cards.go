package live

import "mkt/publish/football"

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

// Kept returns each side's kept part of its pressure in momentum for a counter of red cards, as
// "1" or a fraction such as "2/3". known reports whether the counter is known for both sides.
func Kept(red football.Counter) (home, away string, known bool) {
	counted, known := redCards([]football.Counter{red})
	k := keeps(counted)
	return k[0].String(), k[1].String(), known
}
