package live

import "mkt/publish/football"

// halfMinutes is how many buckets each half has, by half. Stoppage time belongs
// to the last.
var halfMinutes = [5]int{0, 45, 45, 15, 15}

// cell is one minute of a half.
type cell struct {
	state      football.BucketState // "" stands for missing
	home, away int
}

// count puts what a running clock's sample showed into its minute. Points here
// are whole: a dangerous attack 2, a shot 1, a corner 2, and an attack 1 where
// dangerous attacks are not sent. A clock that stands still writes nothing: at
// the whistle it may jump back over minutes that are done.
func (s *State) count(m *movement, supplied supply) {
	half := s.clock.Phase.Half()
	if half == 0 || !s.clock.runs || !s.clock.known {
		return
	}
	minute := clamp((s.clock.position-halfBegins[half])/60, 0, halfMinutes[half]-1)
	cells := make([]cell, max(len(s.cells[half-1]), minute+1))
	copy(cells, s.cells[half-1])
	s.cells[half-1] = cells
	c := &cells[minute]
	switch home, away := m.bucketPoints(supplied, 0), m.bucketPoints(supplied, 1); {
	case m.seen && home+away > 0:
		c.state = football.BucketValue
		c.home += home
		c.away += away
	case m.seen && c.state != football.BucketValue:
		c.state = football.BucketZero
	case c.state == "" && nullSent(s.counters):
		c.state = football.BucketNull
	}
}

func (m *movement) bucketPoints(supplied supply, side int) int {
	points := 2*m.dangerous[side] + m.onTarget[side] + m.offTarget[side] + 2*m.corners[side]
	if !supplied.dangerous {
		points += m.attacks[side]
	}
	return points
}

// nullSent tells whether a counter of pressure was sent without a value.
func nullSent(counters []football.Counter) bool {
	for _, c := range counters {
		switch c.Metric {
		case football.Attacks, football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners:
			if c.Home.State() == football.Null || c.Away.State() == football.Null {
				return true
			}
		}
	}
	return false
}

// series are the buckets of every minute from kick-off to now. A minute that
// was not seen is missing.
func (s *State) series() football.Series {
	var out football.Series
	for half := 1; half <= s.clock.half; half++ {
		cells := s.cells[half-1]
		n := len(cells)
		if half < s.clock.half {
			n = halfMinutes[half]
		}
		for i := range n {
			b := football.Bucket{Minute: halfBegins[half]/60 + i + 1, State: football.BucketMissing}
			if i < len(cells) && cells[i].state != "" {
				b.State, b.Home, b.Away = cells[i].state, cells[i].home, cells[i].away
			}
			out.Max = max(out.Max, b.Home, b.Away)
			out.MaxMinute = b.Minute
			out.Buckets = append(out.Buckets, b)
		}
	}
	return out
}

// periods are the sums of the halves begun so far.
func (s *State) periods() []football.PeriodSum {
	var sums []football.PeriodSum
	for half := 1; half <= s.clock.half; half++ {
		sum := football.PeriodSum{Half: half, State: football.BucketMissing}
		for _, c := range s.cells[half-1] {
			sum.Home += c.home
			sum.Away += c.away
			sum.State = stronger(sum.State, c.state)
		}
		sums = append(sums, sum)
	}
	return sums
}

// stronger is the state of two minutes together: a value before a zero before a
// null before nothing.
func stronger(a, b football.BucketState) football.BucketState {
	for _, s := range []football.BucketState{football.BucketValue, football.BucketZero, football.BucketNull} {
		if a == s || b == s {
			return s
		}
	}
	return football.BucketMissing
}
