package live

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

type pair [2]int

func (p pair) plus(q pair) pair { return pair{p[0] + q[0], p[1] + q[1]} }

// counts returns both sides of a metric, if both were sent and are counts.
func counts(counters []football.Counter, m football.Metric) (pair, bool) {
	i, ok := slices.BinarySearchFunc(counters, m, func(c football.Counter, m football.Metric) int {
		return strings.Compare(string(c.Metric), string(m))
	})
	if !ok {
		return pair{}, false
	}
	home, okHome := counters[i].Home.Get()
	away, okAway := counters[i].Away.Get()
	if !okHome || !okAway {
		return pair{}, false
	}
	h, okHome := home.Count()
	a, okAway := away.Count()
	return pair{h, a}, okHome && okAway
}

func goalsOf(s football.Score) (pair, bool) {
	home, okHome := s.Home.Get()
	away, okAway := s.Away.Get()
	return pair{home, away}, okHome && okAway
}

// possession returns both sides' percentages, if they add up to 100.
func possession(counters []football.Counter) (percent pair, ok bool) {
	percent, ok = counts(counters, football.Possession)
	return percent, ok && percent[0]+percent[1] == 100
}

// supply has the counters of the newest sample, for both sides.
type supply struct{ dangerous, attacks, possession bool }

func supplyOf(counters []football.Counter) supply {
	var s supply
	_, s.dangerous = counts(counters, football.DangerousAttacks)
	_, s.attacks = counts(counters, football.Attacks)
	_, s.possession = possession(counters)
	return s
}

// any reports whether a counter suitable for pressure is sent. Shots and corners are too rare:
// without attacks, momentum would be even for most of a match.
func (s supply) any() bool { return s.dangerous || s.attacks }

func nullSent(counters []football.Counter) bool {
	for _, c := range counters {
		if (c.Metric == football.Attacks || c.Metric == football.DangerousAttacks) &&
			(c.Home.State() == football.Null || c.Away.State() == football.Null) {
			return true
		}
	}
	return false
}
