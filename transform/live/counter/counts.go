package counter

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

// Pair is a number of each side, home first.
type Pair [2]int

// Plus returns the sums of both sides.
func (p Pair) Plus(q Pair) Pair { return Pair{p[0] + q[0], p[1] + q[1]} }

// Of returns both sides of a metric, if both were sent and are counts.
func Of(counters []football.Counter, m football.Metric) (Pair, bool) {
	i, ok := slices.BinarySearchFunc(counters, m, func(c football.Counter, m football.Metric) int {
		return strings.Compare(string(c.Metric), string(m))
	})
	if !ok {
		return Pair{}, false
	}
	home, okHome := counters[i].Home.Get()
	away, okAway := counters[i].Away.Get()
	if !okHome || !okAway {
		return Pair{}, false
	}
	h, okHome := home.Count()
	a, okAway := away.Count()
	return Pair{h, a}, okHome && okAway
}

func goalsOf(s football.Score) (Pair, bool) {
	home, okHome := s.Home.Get()
	away, okAway := s.Away.Get()
	return Pair{home, away}, okHome && okAway
}

// Possession returns both sides' percentages, if they add up to 100.
func Possession(counters []football.Counter) (percent Pair, ok bool) {
	percent, ok = Of(counters, football.Possession)
	return percent, ok && percent[0]+percent[1] == 100
}

// Supply has the counters of the newest sample, for both sides.
type Supply struct{ Dangerous, attacks, Possession bool }

// SupplyOf returns which counters of momentum were sent.
func SupplyOf(counters []football.Counter) Supply {
	var s Supply
	_, s.Dangerous = Of(counters, football.DangerousAttacks)
	_, s.attacks = Of(counters, football.Attacks)
	_, s.Possession = Possession(counters)
	return s
}

// Any reports whether a counter suitable for pressure is sent. Shots and corners are too rare:
// without attacks, momentum would be even for most of a match.
func (s Supply) Any() bool { return s.Dangerous || s.attacks }

// HasNull reports whether attacks or dangerous attacks were sent without a value.
func HasNull(counters []football.Counter) bool {
	for _, c := range counters {
		if (c.Metric == football.Attacks || c.Metric == football.DangerousAttacks) &&
			(c.Home.State() == football.Null || c.Away.State() == football.Null) {
			return true
		}
	}
	return false
}
