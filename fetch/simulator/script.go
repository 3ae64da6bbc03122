package simulator

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// script is everything that truly happens in one match, from the kick-off whistle on. It
// does not change once written.
type script struct {
	id         string // of a recorded match, "" for an invented one
	periods    []Period
	increments []Increment // by At
	incidents  []Incident  // by At
	kicks      []Kick      // of a shoot-out, by At

	sums  []Counts // before each stretch of increments
	ended []Counts // when each period ended
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

func (s *script) count(at time.Duration, m Metric, side Side, n int) {
	s.increments = append(s.increments, Increment{at, m, side, int16(n)})
}

func (s *script) end() time.Duration { return s.periods[len(s.periods)-1].To }

// counts adds up everything up to and including a moment.
func (s *script) counts(at time.Duration) Counts {
	n := sort.Search(len(s.increments), func(i int) bool { return s.increments[i].At > at })
	c := s.sums[n/stretch]
	c.add(s.increments[n/stretch*stretch : n])
	return c
}

func (c *Counts) add(all []Increment) {
	for i := range all {
		c[all[i].Side][all[i].Metric] += int32(all[i].N)
	}
}

// close sorts a finished script by time and adds it up.
func (s *script) close() *script {
	slices.SortStableFunc(s.increments, func(a, b Increment) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(s.incidents, func(a, b Incident) int { return cmp.Compare(a.At, b.At) })
	s.sums = make([]Counts, len(s.increments)/stretch+1)
	for i := 1; i < len(s.sums); i++ {
		s.sums[i] = s.sums[i-1]
		s.sums[i].add(s.increments[(i-1)*stretch : i*stretch])
	}
	for _, p := range s.periods {
		s.ended = append(s.ended, s.counts(p.To))
	}
	return s
}
