package feed

import (
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
)

// Sent is the feed's report of a match at one moment.
type Sent struct {
	At     time.Time          // when it was true; does not advance during a standstill of the feed or the match
	Status competition.Status // InPlay once the record is opened, or Ended
	Clock  play.Clock
	Begun  bool   // before kick-off there is neither a score nor a counter
	Score  [2]int // the goals among the counters may lag behind it
	Extra  bool   // extra time has begun

	// Shootout is the score of the shoot-out, nil before it.
	Shootout *[2]int

	// First is everything counted in the first half, and Normal in normal time, once
	// these are over. They hold the true counts, not those sent, and must not be
	// modified.
	First, Normal *play.Counts

	counts play.Counts
	absent metricSet
	null   [2]metricSet
}

// State of a metric of one side.
type State uint8

const (
	Absent State = iota
	Null
	Value
)

// Value returns a metric of one side as sent.
func (s *Sent) Value(m play.Metric, side play.Side) (int, State) {
	switch {
	case s.absent.has(m):
		return 0, Absent
	case s.null[side].has(m):
		return 0, Null
	}
	return int(s.counts[side][m]), Value
}

// Counts returns every metric with its corrections, including those that are not sent.
func (s *Sent) Counts() *play.Counts { return &s.counts }

// Sent returns the feed's report of the match at a moment of the world's time.
func (m *Match) Sent(now time.Time) Sent {
	now = m.feed.Time(now)
	at := m.held(now.Sub(m.Whistle))
	s := Sent{At: m.Whistle.Add(at), Status: competition.InPlay, Clock: m.clock(at), Begun: at >= 0}
	if !s.At.Before(m.Over) {
		s.Status = competition.Ended
	}
	if !s.Begun {
		return s
	}
	s.counts = m.script.Counts(at)
	m.correct(at, &s.counts)
	m.halves(at, &s)
	s.Score = s.counts.Score()
	if m.lag > 0 {
		behind := m.script.Counts(at - m.lag)
		m.correct(at-m.lag, &behind)
		s.counts[play.Home][play.Goals], s.counts[play.Away][play.Goals] = behind[play.Home][play.Goals], behind[play.Away][play.Goals]
	}
	m.leaveOut(at, &s)
	return s
}

// held returns the time of the match that the feed reports: during a stall, the beginning
// of the stall.
func (m *Match) held(at time.Duration) time.Duration {
	for _, stall := range m.stalls {
		if stall.holds(at) {
			return stall.From
		}
	}
	return at
}

// clock is the scoreboard as sent. On some feeds it continues for a while after the first
// half.
func (m *Match) clock(at time.Duration) play.Clock {
	c := play.ClockAt(m.script.Periods, at)
	if first := m.script.Periods[0]; c.Phase == play.HalfTime && at < first.To+m.runsOn {
		c.Shown, c.Running = (at - first.From).Truncate(time.Second), true
	}
	return c
}

func (m *Match) halves(at time.Duration, s *Sent) {
	if at >= m.script.Periods[0].To {
		s.First = &m.script.Ended[0]
	}
	if at >= m.script.Periods[1].To {
		s.Normal = &m.script.Ended[1]
	}
	if len(m.script.Periods) > 2 && at >= m.script.Periods[2].From {
		s.Extra = m.script.Periods[2].Phase == play.ExtraFirst
	}
	if last := m.script.Periods[len(m.script.Periods)-1]; last.Phase == play.Shootout && at >= last.From {
		s.Shootout = new([2]int)
		for _, k := range m.script.Kicks {
			if k.At <= at && k.Scored {
				s.Shootout[k.Side]++
			}
		}
	}
}

func (b *feedErrors) correct(at time.Duration, c *play.Counts) {
	for i := range b.corrections {
		if x := &b.corrections[i]; x.holds(at) {
			c[x.Side][x.Metric] = max(c[x.Side][x.Metric]+int32(x.By), 0)
		}
	}
}

// leaveOut marks the values that are missing, or sent as null. Possession and expected goals
// have no value at first.
func (m *Match) leaveOut(at time.Duration, s *Sent) {
	s.absent = ^m.covered
	for _, g := range m.gaps {
		if !g.holds(at) {
			continue
		}
		if !g.Null {
			s.absent |= setOf(g.Metric)
		}
		for side := range g.Sides {
			if g.Null && g.Sides[side] {
				s.null[side] |= setOf(g.Metric)
			}
		}
	}
	if _, known := s.counts.HomePossession(); !known {
		s.absent |= setOf(play.Possession)
	}
	for side := range s.null {
		if s.counts[side][play.ExpectedGoals] == 0 {
			s.null[side] |= setOf(play.ExpectedGoals)
		}
	}
	if s.absent.has(play.ExpectedGoals) || s.null[play.Home].has(play.ExpectedGoals) && s.null[play.Away].has(play.ExpectedGoals) {
		s.absent |= setOf(play.ExpectedGoals) // no shot yet
	}
}
