package simulator

import (
	"sort"
	"time"
)

// script is everything that truly happens in one match, from the kick-off
// whistle on. It is written once and read at any moment.
type script struct {
	periods    []Period
	increments []Increment // by At
	incidents  []Incident  // by At
}

// Increment is a metric of one side going up.
type Increment struct {
	At     time.Duration // since the kick-off whistle
	Metric Metric
	Side   Side
	N      int16
}

// IncidentKind is what a timeline tells of.
type IncidentKind uint8

const (
	Goal IncidentKind = iota
	Corner
	YellowCard
	RedCard // also after a second yellow
	Substitution
	Penalty // awarded; one that goes in is a Goal as well
)

// Incident is one happening that a timeline tells of. Names are "" where they
// are not known.
type Incident struct {
	At     time.Duration // since the kick-off whistle
	Kind   IncidentKind
	Side   Side   // who profits of a goal, who is booked
	Player string // who scored, was booked, came on
	Second string // who assisted, who went off
	Method string // of a goal: Shot, Header, Penalty
}

func (s *script) count(at time.Duration, m Metric, side Side, n int) {
	s.increments = append(s.increments, Increment{at, m, side, int16(n)})
}

func (s *script) end() time.Duration { return s.periods[len(s.periods)-1].To }

// counts adds up everything until a moment, that moment included.
func (s *script) counts(at time.Duration) (c Counts) {
	for i := range s.increments {
		inc := &s.increments[i]
		if inc.At > at {
			break
		}
		c[inc.Side][inc.Metric] += int32(inc.N)
	}
	return c
}

// value adds up one metric of one side until a moment.
func (s *script) value(at time.Duration, m Metric, side Side) (n int) {
	for i := range s.increments {
		inc := &s.increments[i]
		if inc.At > at {
			break
		}
		if inc.Metric == m && inc.Side == side {
			n += int(inc.N)
		}
	}
	return n
}

// sort puts a script that was not written in order of time into that order.
func (s *script) sort() {
	sort.SliceStable(s.increments, func(a, b int) bool { return s.increments[a].At < s.increments[b].At })
	sort.SliceStable(s.incidents, func(a, b int) bool { return s.incidents[a].At < s.incidents[b].At })
}
