package live

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

const (
	// fallMemory is for how many seconds of match clock a fallen counter's old
	// value is remembered: climbing back to it is the correction taken back.
	fallMemory = 120
	// maxDelta is the most a counter can move between two samples; more is a
	// correction.
	maxDelta = 20
)

// pair is a number for each side, home first.
type pair [2]int

// fall is a counter that went down.
type fall struct {
	metric football.Metric
	side   int
	peak   int // what it was before
	tau    int // when
}

// movement is what moved between two samples, never negative.
type movement struct {
	attacks, dangerous, onTarget, offTarget, corners pair
	cards, penalties, substitutions, goals           pair

	// seen tells that movement of pressure could be seen: some of its counters
	// are in both samples.
	seen bool
}

// move takes over a sample's counters and score as the next baseline and
// returns what moved since the last: nothing for a metric that was not there
// before, nothing for one of which either side fell.
func (s *State) move(sample *football.Sample) movement {
	falls := slices.DeleteFunc(slices.Clone(s.falls), func(f fall) bool { return s.tau-f.tau > fallMemory })
	moved := func(metric football.Metric) (pair, bool) {
		before, okBefore := counts(s.counters, metric)
		now, ok := counts(sample.Counters, metric)
		if !ok || !okBefore {
			return pair{}, false
		}
		return delta(&falls, metric, before, now, s.tau), true
	}
	var m movement
	for _, pressing := range []struct {
		metric football.Metric
		to     *pair
	}{{football.Attacks, &m.attacks}, {football.DangerousAttacks, &m.dangerous},
		{football.OnTarget, &m.onTarget}, {football.OffTarget, &m.offTarget}, {football.Corners, &m.corners}} {
		var ok bool
		*pressing.to, ok = moved(pressing.metric)
		m.seen = m.seen || ok
	}
	yellow, _ := moved(football.YellowCards)
	red, _ := moved(football.RedCards)
	m.cards = pair{yellow[0] + red[0], yellow[1] + red[1]}
	m.penalties, _ = moved(football.Penalties)
	m.substitutions, _ = moved(football.Substitutions)
	before, okBefore := goalsOf(s.score)
	if now, ok := goalsOf(sample.Score); ok && okBefore {
		m.goals = delta(&falls, football.Goals, before, now, s.tau)
	}
	s.falls, s.counters, s.score = falls, sample.Counters, sample.Score
	return m
}

// delta is what one metric moved. A rise that comes with the other side's fall
// is a correction too, and a counter that climbs back to where it fell from has
// not moved.
func delta(falls *[]fall, metric football.Metric, before, now pair, tau int) pair {
	var moved pair
	fell := false
	for side := range now {
		i := slices.IndexFunc(*falls, func(f fall) bool { return f.metric == metric && f.side == side })
		if now[side] < before[side] {
			fell = true
			if i < 0 {
				*falls = append(*falls, fall{metric, side, before[side], tau})
			}
			continue
		}
		from := before[side]
		if i >= 0 {
			from = max(from, (*falls)[i].peak)
			if now[side] >= from {
				*falls = slices.Delete(*falls, i, i+1)
			}
		}
		if moved[side] = max(0, now[side]-from); moved[side] > maxDelta {
			moved[side] = 0
		}
	}
	if fell {
		return pair{}
	}
	return moved
}

// counts are both sides of a metric, when both were sent and are counts.
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

// goalsOf are both sides of a score.
func goalsOf(s football.Score) (pair, bool) {
	home, okHome := s.Home.Get()
	away, okAway := s.Away.Get()
	return pair{home, away}, okHome && okAway
}

// possession is both sides' percent, when the pair is one.
func possession(counters []football.Counter) (percent pair, ok bool) {
	percent, ok = counts(counters, football.Possession)
	return percent, ok && percent[0]+percent[1] == 100
}
