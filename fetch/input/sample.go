package input

import (
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
)

// Sample is one observation of one fixture in play. Nothing in it is
// interpreted: the half may be ahead of play, and counters may fall.
type Sample struct {
	ProviderFixtureID  string // the identity that the market engine uses for the fixture, or one that begins with ByEvent
	ProviderEventID    string // the live record's own id, which joins lists with details; may be ""
	Home, Away, League football.Field[string]
	StartsAt           football.Field[time.Time]

	RetrievedAt time.Time                 // when the payload arrived, UTC, milliseconds
	ObservedAt  football.Field[time.Time] // when the provider says that it was true

	Status   PlayStatus
	Clock    ClockReading
	Score    football.Score
	Counters []football.Counter // sorted by metric, each metric once
	// CountersNotAsked means Counters is empty because an answer of this kind has no
	// counters of any fixture: it says nothing of them.
	CountersNotAsked bool
	// CountersLag is how much older than the rest of the sample Counters may be, because the
	// provider renews them less often. It is also set if CountersNotAsked is.
	CountersLag time.Duration
	Incidents   football.Field[[]Incident] // in the provider's order; missing if not asked for or not sent
}

// At returns when the sample was true, as far as is known: never after its
// retrieval.
func (s *Sample) At() time.Time {
	if at, ok := s.ObservedAt.Get(); ok && at.Before(s.RetrievedAt) {
		return at
	}
	return s.RetrievedAt
}

// Clone returns a copy with texts of its own. The texts of a sample as read are
// parts of the payload, and keep all of it in memory.
func (s *Sample) Clone() Sample {
	c := *s
	c.ProviderFixtureID, c.ProviderEventID = strings.Clone(s.ProviderFixtureID), strings.Clone(s.ProviderEventID)
	for _, f := range []*football.Field[string]{&c.Home, &c.Away, &c.League} {
		if text, ok := f.Get(); ok {
			*f = football.Of(strings.Clone(text))
		}
	}
	c.Counters = slices.Clone(s.Counters)
	for i := range c.Counters {
		counter := &c.Counters[i]
		counter.Metric = football.Metric(strings.Clone(string(counter.Metric)))
		for _, f := range []*football.Field[football.Number]{&counter.Home, &counter.Away} {
			if n, ok := f.Get(); ok {
				*f = football.Of(n.Clone())
			}
		}
	}
	if incidents, ok := s.Incidents.Get(); ok {
		incidents = slices.Clone(incidents)
		for i := range incidents {
			incidents[i].ID, incidents[i].Text = strings.Clone(incidents[i].ID), strings.Clone(incidents[i].Text)
		}
		c.Incidents = football.Of(incidents)
	}
	return c
}

// ByEvent begins the identity of a fixture for which the market engine has none:
// the live record's own id follows.
const ByEvent = "event:"

// IsByEvent reports whether the fixture is known by its live record alone.
func (s *Sample) IsByEvent() bool { return strings.HasPrefix(s.ProviderFixtureID, ByEvent) }

// PlayStatus is the status of a fixture.
type PlayStatus uint8

const (
	NotStarted PlayStatus = iota
	InPlay
	Halted // interrupted or suspended, may go on
	Over   // played to its end
	Off    // abandoned, postponed, cancelled or removed
)

// ClockReading is a provider's clock as sent.
type ClockReading struct {
	Half           football.Field[int] // 1 to 4; 5 after extra time or for a shoot-out. Some providers are early
	Minute, Second football.Field[int] // on the scoreboard
	Added          football.Field[int]
	Running        football.Field[bool]
	// Shootout means the provider says itself that a shoot-out is on, or comes next. The
	// score need not be level then: it may be the sum of two matches.
	Shootout bool
}

// IncidentKind is the kind of event of an [Incident].
type IncidentKind string

const (
	IncidentGoal         IncidentKind = "GOAL"
	IncidentCorner       IncidentKind = "CORNER"
	IncidentYellowCard   IncidentKind = "YELLOW_CARD"
	IncidentRedCard      IncidentKind = "RED_CARD"
	IncidentPenalty      IncidentKind = "PENALTY"
	IncidentSubstitution IncidentKind = "SUBSTITUTION"
)

// Incident is one event of the provider's own timeline.
type Incident struct {
	ID     string // the provider's; an incident without one cannot be told from its duplicate
	Kind   IncidentKind
	Minute int // the minute of play, from 1; 45 and 90 in stoppage time
	Added  int // the minute of stoppage time, from 1; 0 outside it
	Side   football.Side
	Text   string // the provider's words about who and how; may be ""
}
