package live

import (
	"mkt/publish/football"
	"slices"
)

// minutes returns the cells of a half for this step to modify, including the cell of a position
// on the scoreboard.
func (s *State) minutes(half, position int) []cell {
	last := minuteOf(half, position)
	cells := make([]cell, max(len(s.cells[half-1]), last+1))
	copy(cells, s.cells[half-1])
	s.cells[half-1] = cells
	return cells
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

// addCorner adds points to the minute of a corner. Points are taken away from a minute that has
// as many: a corner that was seen while the clock stood still is in the minute before.
func (s *State) addCorner(event *entry, points int) {
	side := slices.Index(sides[:], event.side)
	if event.state != football.VisualCorner || side < 0 || !event.known || event.half == 0 || !supplyOf(s.counters).any() {
		return
	}
	minute := minuteOf(event.half, event.position)
	cells := s.minutes(event.half, event.position)
	for ; minute >= 0; minute-- {
		of := [2]*uint16{&cells[minute].home, &cells[minute].away}[side]
		if sum := int(*of) + points; sum >= 0 {
			*of = uint16(min(sum, maxPoints))
			return
		}
	}
}
