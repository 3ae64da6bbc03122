// Package minutes keeps the points of both sides for every minute of play, and for how many seconds
// of it the counters were seen.
package minutes

import (
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Minutes has the minutes of a fixture, with the points of both sides.
type Minutes struct {
	cells [4][]cell // by half; index is the minute of the half, from 0
	RanTo int       // where the scoreboard was last seen to run in the newest half, 0 when it was not
}

// of returns the cells of a half for this step to modify, including the cell of a position
// on the scoreboard.
func (s *Minutes) of(half, position int) []cell {
	last := clock.MinuteOf(half, position)
	cells := make([]cell, max(len(s.cells[half-1]), last+1))
	copy(cells, s.cells[half-1])
	s.cells[half-1] = cells
	return cells
}

// carried records the state of the counters while the scoreboard moved from one position of a half
// to another.
func (s *Minutes) carried(half, from, to, what int) {
	if to <= from {
		return
	}
	cells := s.of(half, to-1)
	for minute := clock.MinuteOf(half, from); minute <= clock.MinuteOf(half, to-1); minute++ {
		begins := clock.HalfBegins[half] + 60*minute
		seconds := max(0, min(min(to, begins+60)-max(from, begins), 60))
		n := &cells[minute].seconds[what]
		*n = uint8(min(int(*n)+seconds, 60))
	}
}

// Account records the state of the counters for the minutes of a step. before is the clock of the
// previous sample, and seconds is the playing time since then.
func (s *Minutes) Account(before, now *clock.Clock, seconds, what int) {
	half, to := now.Phase.Half(), now.Position
	if ended := before.Phase.Half(); ended != 0 && ended != half && what != carrySeen {
		s.carried(ended, s.RanTo, min(clock.HalfEnds[ended], s.RanTo-s.RanTo%60+60), CarryMissing) // the rest of its minute
	}
	if now.Half != before.Half {
		s.RanTo = 0
	}
	if half == 0 || !now.Known || !now.Runs {
		return
	}
	from := max(s.RanTo, clock.HalfBegins[half])
	s.RanTo = to
	s.of(half, to)
	if what == carrySeen {
		since := max(from, to-seconds)
		s.carried(half, from, since, CarryMissing) // the scoreboard was set forward, or not sent
		from = since
	}
	s.carried(half, from, to, what)
}

// AddPoints adds the points of a movement to its minute. A movement first seen while the clock is
// stopped belongs to the last minute played, because at the end of a half a scoreboard is set
// back.
func (s *Minutes) AddPoints(now *clock.Clock, m *counter.Movement, supplied counter.Supply) {
	half, position := now.Half, s.RanTo
	if !now.Runs {
		position = max(position-1, 0) // if a half ends at 45:00, no minute begins there
	}
	home, away := pointsOf(m, supplied, 0), pointsOf(m, supplied, 1)
	if half == 0 || s.RanTo == 0 || home+away == 0 || now.Runs && !now.Known {
		return // nothing to add, or the minute is not known
	}
	c := &s.of(half, position)[clock.MinuteOf(half, position)]
	if c.seconds == [3]uint8{} && !supplied.Any() {
		return // shots and corners alone make no number of a minute that just began
	}
	c.home = uint16(min(int(c.home)+home, rules.MaxPoints))
	c.away = uint16(min(int(c.away)+away, rules.MaxPoints))
}

// pointsOf returns the points of a side for a movement.
func pointsOf(m *counter.Movement, supplied counter.Supply, side int) int {
	points := rules.PointsDangerous*m.Dangerous[side] + rules.PointsShot*(m.OnTarget[side]+m.OffTarget[side]) + rules.PointsCorner*m.Corners[side]
	if !supplied.Dangerous {
		points += rules.PointsAttack * m.Attacks[side]
	}
	return points
}

// Carries returns the state of a minute's counters in two samples. If only one of them lacks the
// counters, it is the state of this one.
func Carries(m *counter.Movement, wasNull, isNull bool, supplied counter.Supply) int {
	switch {
	case m.Carried:
		return carrySeen
	case isNull && !supplied.Any(), wasNull && supplied.Any():
		return carryNull
	}
	return CarryMissing
}

// AddCorner adds points to the minute of a side's corner. Points are taken away from a minute that has
// as many: a corner that was seen while the clock stood still is in the minute before.
func (s *Minutes) AddCorner(at clock.Board, side, points int) {
	minute := clock.MinuteOf(at.Half, at.Position)
	cells := s.of(at.Half, at.Position)
	for ; minute >= 0; minute-- {
		of := [2]*uint16{&cells[minute].home, &cells[minute].away}[side]
		if sum := int(*of) + points; sum >= 0 {
			*of = uint16(min(sum, rules.MaxPoints))
			return
		}
	}
}
