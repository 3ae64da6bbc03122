package play

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// Script is everything that truly happens in one match, from the kick-off whistle on. It
// does not change once written.
type Script struct {
	ID         string // of a recorded match, "" for an invented one
	Periods    []Period
	Increments []Increment // by At
	Incidents  []Incident  // by At
	Kicks      []Kick      // of a shoot-out, by At

	sums  []Counts // before each stretch of increments
	Ended []Counts // when each period ended
}

// stretch is how many increments lie between two stored sums.
const stretch = 64

// Increment is a rise of a metric of one side.
type Increment struct {
	At     time.Duration // since the kick-off whistle
	Metric Metric
	Side   Side
	N      int16
}

// IncidentKind is the kind of an entry of a timeline.
type IncidentKind uint8

const (
	Goal IncidentKind = iota
	Corner
	YellowCard
	RedCard // also after a second yellow
	Substitution
	Penalty // awarded; a penalty goal is a Goal as well
	PenaltyMissed
)

// Incident is one event of a timeline. Unknown names are "".
type Incident struct {
	At     time.Duration // since the kick-off whistle
	Kind   IncidentKind
	Side   Side   // who scored, or was booked
	Player string // who scored, was booked, came on, missed
	Second string // who assisted, who went off
	Method string // of a goal: Shot, Header, Penalty
}

// Kick is a kick of a shoot-out. Its goals are none of the match.
type Kick struct {
	At     time.Duration // since the kick-off whistle
	Side   Side
	Player string // "" if the team has no names
	Scored bool
}

func (s *Script) count(at time.Duration, m Metric, side Side, n int) {
	s.Increments = append(s.Increments, Increment{at, m, side, int16(n)})
}

func (s *Script) End() time.Duration { return s.Periods[len(s.Periods)-1].To }

// Counts adds up everything up to and including a moment.
func (s *Script) Counts(at time.Duration) Counts {
	n := sort.Search(len(s.Increments), func(i int) bool { return s.Increments[i].At > at })
	c := s.sums[n/stretch]
	c.add(s.Increments[n/stretch*stretch : n])
	return c
}

func (c *Counts) add(all []Increment) {
	for i := range all {
		c[all[i].Side][all[i].Metric] += int32(all[i].N)
	}
}

// close sorts a finished script by time and adds it up.
func (s *Script) close() *Script {
	slices.SortStableFunc(s.Increments, func(a, b Increment) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(s.Incidents, func(a, b Incident) int { return cmp.Compare(a.At, b.At) })
	s.sums = make([]Counts, len(s.Increments)/stretch+1)
	for i := 1; i < len(s.sums); i++ {
		s.sums[i] = s.sums[i-1]
		s.sums[i].add(s.Increments[(i-1)*stretch : i*stretch])
	}
	for _, p := range s.Periods {
		s.Ended = append(s.Ended, s.Counts(p.To))
	}
	return s
}
