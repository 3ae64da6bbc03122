package live

import (
	"slices"

	"mkt/publish/football"
)

func halfMinutes(half int) int { return football.HalfEnds(half) - football.HalfBegins(half) }

type cell struct {
	home, away uint16 // points
	// seconds of the minute already played, by the state of its counters.
	seconds [3]uint8
}

// The states of a minute's counters.
const (
	carrySeen    = iota // they could be compared
	carryMissing        // not sent, or not comparable
	carryNull           // sent without a value
)

// state returns the state of the minute. It has a number only if nearly all of its played seconds
// were seen.
func (c cell) state() football.BucketState {
	missing, null := int(c.seconds[carryMissing]), int(c.seconds[carryNull])
	switch blind := missing + null; {
	case c == (cell{}): // nothing of the minute was played yet
		return football.BucketMissing
	case blind <= min(blindSlack, int(c.seconds[carrySeen])):
		if c.home > 0 || c.away > 0 {
			return football.BucketValue
		}
		return football.BucketZero
	case null > missing:
		return football.BucketNull
	}
	return football.BucketMissing
}

var unseen = cell{seconds: [3]uint8{carryMissing: 60}}

// minutes returns the cells of a half for this step to modify, including the cell of a position
// on the scoreboard.
func (s *State) minutes(half, position int) []cell {
	last := minuteOf(half, position)
	cells := make([]cell, max(len(s.cells[half-1]), last+1))
	copy(cells, s.cells[half-1])
	s.cells[half-1] = cells
	return cells
}

func minuteOf(half, position int) int {
	return clamp((position-halfBegins[half])/60, 0, halfMinutes(half)+maxStoppage-1)
}

// carried records the state of the counters while the scoreboard moved from one position of a half
// to another.
func (s *State) carried(half, from, to, what int) {
	if to <= from {
		return
	}
	cells := s.minutes(half, to-1)
	for minute := minuteOf(half, from); minute <= minuteOf(half, to-1); minute++ {
		begins := halfBegins[half] + 60*minute
		seconds := clamp(min(to, begins+60)-max(from, begins), 0, 60)
		n := &cells[minute].seconds[what]
		*n = uint8(min(int(*n)+seconds, 60))
	}
}

// account records the state of the counters for the minutes of a step. before is the clock of the
// previous sample, and seconds is the playing time since then.
func (s *State) account(before *clock, seconds, what int) {
	half, to := s.clock.Phase.Half(), s.clock.position
	if ended := before.Phase.Half(); ended != 0 && ended != half && what != carrySeen {
		s.carried(ended, s.ranTo, min(halfEnds[ended], s.ranTo-s.ranTo%60+60), carryMissing) // the rest of its minute
	}
	if s.clock.half != before.half {
		s.ranTo = 0
	}
	if half == 0 || !s.clock.known || !s.clock.runs {
		return
	}
	from := max(s.ranTo, halfBegins[half])
	s.ranTo = to
	s.minutes(half, to)
	if what == carrySeen {
		since := max(from, to-seconds)
		s.carried(half, from, since, carryMissing) // the scoreboard was set forward, or not sent
		from = since
	}
	s.carried(half, from, to, what)
}

// addPoints adds the points of a movement to its minute. A movement first seen while the clock is
// stopped belongs to the last minute played, because at the end of a half a scoreboard is set
// back.
func (s *State) addPoints(m *movement, supplied supply) {
	half, position := s.clock.half, s.ranTo
	if !s.clock.runs {
		position = max(position-1, 0) // if a half ends at 45:00, no minute begins there
	}
	home, away := m.bucketPoints(supplied, 0), m.bucketPoints(supplied, 1)
	if half == 0 || s.ranTo == 0 || home+away == 0 || s.clock.runs && !s.clock.known {
		return // nothing to add, or the minute is not known
	}
	c := &s.minutes(half, position)[minuteOf(half, position)]
	if c.seconds == [3]uint8{} && !supplied.any() {
		return // shots and corners alone make no number of a minute that just began
	}
	c.home = uint16(min(int(c.home)+home, maxPoints))
	c.away = uint16(min(int(c.away)+away, maxPoints))
}

func (m *movement) bucketPoints(supplied supply, side int) int {
	points := pointsDangerous*m.dangerous[side] + pointsShot*(m.onTarget[side]+m.offTarget[side]) + pointsCorner*m.corners[side]
	if !supplied.dangerous {
		points += pointsAttack * m.attacks[side]
	}
	return points
}

// carries returns the state of a minute's counters in two samples. If only one of them lacks the
// counters, it is the state of this one.
func (m *movement) carries(wasNull, isNull bool, supplied supply) int {
	switch {
	case m.carried:
		return carrySeen
	case isNull && !supplied.any(), wasNull && supplied.any():
		return carryNull
	}
	return carryMissing
}

func nullSent(counters []football.Counter) bool {
	for _, c := range counters {
		if (c.Metric == football.Attacks || c.Metric == football.DangerousAttacks) &&
			(c.Home.State() == football.Null || c.Away.State() == football.Null) {
			return true
		}
	}
	return false
}

func (s *State) played(half int, do func(minute int, c cell)) {
	cells := s.cells[half-1]
	for len(cells) > 0 && cells[len(cells)-1] == (cell{}) { // nothing of this minute was played yet
		cells = cells[:len(cells)-1]
	}
	n := len(cells)
	if half < s.clock.half || s.clock.Phase.Half() == 0 {
		n = max(n, halfMinutes(half))
	}
	for minute := range n {
		c := unseen
		if minute < len(cells) {
			c = cells[minute]
		}
		do(minute, c)
	}
}

func (s *State) series() football.Series {
	var out football.Series
	minutes := 0
	for half := 1; half <= s.clock.half; half++ {
		minutes += max(len(s.cells[half-1]), halfMinutes(half))
	}
	out.Buckets = slices.Grow(out.Buckets, minutes)
	for half := 1; half <= s.clock.half; half++ {
		s.played(half, func(minute int, c cell) {
			regular := min(minute, halfMinutes(half)-1)
			b := football.Bucket{Minute: halfBegins[half]/60 + regular + 1, Added: minute - regular, State: c.state()}
			if b.State == football.BucketValue {
				b.Home, b.Away = int(c.home), int(c.away)
			}
			out.Max = max(out.Max, b.Home, b.Away)
			out.MaxMinute = b.Minute
			out.Buckets = append(out.Buckets, b)
		})
	}
	return out
}

// periods returns the sums of the halves which have begun. A half with an unknown minute has no
// sum, because readers would take it for the sum of the whole half.
func (s *State) periods() []football.PeriodSum {
	var sums []football.PeriodSum
	for half := 1; half <= s.clock.half; half++ {
		sum := football.PeriodSum{Half: half, State: football.BucketZero}
		s.played(half, func(_ int, c cell) {
			state := c.state()
			sum.State = combined(sum.State, state)
			sum.Minutes++
			if state == football.BucketValue || state == football.BucketZero {
				sum.Known++
				sum.KnownHome += int(c.home)
				sum.KnownAway += int(c.away)
			}
		})
		if sum.Minutes == 0 {
			sum.State = football.BucketMissing
		}
		if sum.State == football.BucketValue {
			sum.Home, sum.Away = sum.KnownHome, sum.KnownAway
		}
		sums = append(sums, sum)
	}
	return sums
}

// combined returns the state of two minutes as one. MISSING wins over NULL, and both
// win over a number.
func combined(a, b football.BucketState) football.BucketState {
	for _, s := range []football.BucketState{football.BucketMissing, football.BucketNull, football.BucketValue} {
		if a == s || b == s {
			return s
		}
	}
	return football.BucketZero
}
