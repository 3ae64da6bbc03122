package live

// minutes has the minutes of a fixture, with the points of both sides.
type minutes struct {
	cells [4][]cell // by half; index is the minute of the half, from 0
	ranTo int       // where the scoreboard was last seen to run in the newest half, 0 when it was not
}

// of returns the cells of a half for this step to modify, including the cell of a position
// on the scoreboard.
func (s *minutes) of(half, position int) []cell {
	last := minuteOf(half, position)
	cells := make([]cell, max(len(s.cells[half-1]), last+1))
	copy(cells, s.cells[half-1])
	s.cells[half-1] = cells
	return cells
}

// carried records the state of the counters while the scoreboard moved from one position of a half
// to another.
func (s *minutes) carried(half, from, to, what int) {
	if to <= from {
		return
	}
	cells := s.of(half, to-1)
	for minute := minuteOf(half, from); minute <= minuteOf(half, to-1); minute++ {
		begins := halfBegins[half] + 60*minute
		seconds := clamp(min(to, begins+60)-max(from, begins), 0, 60)
		n := &cells[minute].seconds[what]
		*n = uint8(min(int(*n)+seconds, 60))
	}
}

// account records the state of the counters for the minutes of a step. before is the clock of the
// previous sample, and seconds is the playing time since then.
func (s *minutes) account(before, now *clock, seconds, what int) {
	half, to := now.Phase.Half(), now.position
	if ended := before.Phase.Half(); ended != 0 && ended != half && what != carrySeen {
		s.carried(ended, s.ranTo, min(halfEnds[ended], s.ranTo-s.ranTo%60+60), carryMissing) // the rest of its minute
	}
	if now.half != before.half {
		s.ranTo = 0
	}
	if half == 0 || !now.known || !now.runs {
		return
	}
	from := max(s.ranTo, halfBegins[half])
	s.ranTo = to
	s.of(half, to)
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
func (s *minutes) addPoints(now *clock, m *movement, supplied supply) {
	half, position := now.half, s.ranTo
	if !now.runs {
		position = max(position-1, 0) // if a half ends at 45:00, no minute begins there
	}
	home, away := pointsOf(m, supplied, 0), pointsOf(m, supplied, 1)
	if half == 0 || s.ranTo == 0 || home+away == 0 || now.runs && !now.known {
		return // nothing to add, or the minute is not known
	}
	c := &s.of(half, position)[minuteOf(half, position)]
	if c.seconds == [3]uint8{} && !supplied.any() {
		return // shots and corners alone make no number of a minute that just began
	}
	c.home = uint16(min(int(c.home)+home, maxPoints))
	c.away = uint16(min(int(c.away)+away, maxPoints))
}

// pointsOf returns the points of a side for a movement.
func pointsOf(m *movement, supplied supply, side int) int {
	points := pointsDangerous*m.dangerous[side] + pointsShot*(m.onTarget[side]+m.offTarget[side]) + pointsCorner*m.corners[side]
	if !supplied.dangerous {
		points += pointsAttack * m.attacks[side]
	}
	return points
}

// carries returns the state of a minute's counters in two samples. If only one of them lacks the
// counters, it is the state of this one.
func carries(m *movement, wasNull, isNull bool, supplied supply) int {
	switch {
	case m.carried:
		return carrySeen
	case isNull && !supplied.any(), wasNull && supplied.any():
		return carryNull
	}
	return carryMissing
}

// addCorner adds points to the minute of a side's corner. Points are taken away from a minute that has
// as many: a corner that was seen while the clock stood still is in the minute before.
func (s *minutes) addCorner(at boardPosition, side, points int) {
	minute := minuteOf(at.half, at.position)
	cells := s.of(at.half, at.position)
	for ; minute >= 0; minute-- {
		of := [2]*uint16{&cells[minute].home, &cells[minute].away}[side]
		if sum := int(*of) + points; sum >= 0 {
			*of = uint16(min(sum, maxPoints))
			return
		}
	}
}
