package bookmaker

import (
	"math"
	"sort"
	"strconv"
)

// ladder is the steps of a bookmaker's decimal prices, lowest first: every price is one
// of them, as text with two decimals. They were taken from recorded payloads.
var ladder = func() []step {
	var all []step
	add := func(from, to, by float64) {
		for p := from; p < to-1e-9; p += by {
			all = append(all, step{p, strconv.FormatFloat(p, 'f', 2, 64)})
		}
	}
	add(1.01, 1.20, 0.01)
	for _, p := range []float64{1.20, 1.22, 1.25, 1.28, 1.30, 1.33, 1.36, 1.40, 1.44, 1.50, 1.53, 1.57, 1.61, 1.66, 1.72, 1.80, 1.83,
		1.90, 1.95, 2.00, 2.05, 2.10, 2.20, 2.25, 2.30, 2.37, 2.50, 2.62, 2.75, 2.87, 3.00, 3.10, 3.20, 3.25, 3.40, 3.50, 3.60, 3.75} {
		add(p, p+0.005, 1)
	}
	for _, p := range []float64{4, 4.20, 4.33, 4.50, 4.75, 5, 5.50, 6, 6.50, 7, 7.50, 8, 8.50, 9, 9.50} {
		add(p, p+0.005, 1)
	}
	for _, p := range []float64{10, 11, 12, 13, 15, 17, 19, 21, 23, 26, 29, 34, 41, 51, 67, 81, 101, 126, 151, 201, 251, 301, 401, 501} {
		add(p, p+0.005, 1)
	}
	return all
}()

// fine is the ladder of two-way Asian prices: steps of 0.025, rounded to two decimals and
// so uneven ("1.88", "1.90", "1.93").
var fine = func() []step {
	var all []step
	for p := 1.025; p < 3; p += 0.025 {
		all = append(all, step{p, strconv.FormatFloat(math.Floor(p*100+0.5+1e-6)/100, 'f', 2, 64)})
	}
	for p := 3.0; p < 8; p += 0.05 {
		all = append(all, step{p, strconv.FormatFloat(p, 'f', 2, 64)})
	}
	return all
}()

type step struct {
	price float64
	text  string
}

// price returns the highest step that still leaves the bookmaker his margin at a
// probability, but at least the lowest step.
func price(steps []step, p, margin float64) string {
	fair := steps[len(steps)-1].price
	if p > 0 {
		fair = min(fair, 1+(1/p-1)/(1+margin)-margin/3)
	}
	i := sort.Search(len(steps), func(i int) bool { return steps[i].price > fair+1e-9 })
	return steps[max(i-1, 0)].text
}

// neighbours maps the text of a price to its neighbours on the ladder.
var neighbours = func() map[string][2]string {
	near := make(map[string][2]string)
	for _, l := range [...][]step{fine, ladder} {
		for i, s := range l {
			near[s.text] = [2]string{l[max(i-1, 0)].text, l[min(i+1, len(l)-1)].text}
		}
	}
	return near
}()

// nextPrice returns the next higher or lower price, as an older copy of a market shows it. A
// text that is not on a ladder is returned unchanged.
func nextPrice(price string, higher bool) string {
	near, ok := neighbours[price]
	if !ok {
		return price
	}
	return near[flag(higher)]
}
