package football

import (
	"slices"
	"strings"
	"time"
)

// Sample is one observation of one fixture in play, in no provider's spelling:
// what a provider's reader gives and the live engine folds. Nothing in it is
// interpreted: half may be ahead of play, counters may fall.
type Sample struct {
	ProviderFixtureID  string // the identity the market engine uses for the same fixture, or one of its own: see ByEvent
	ProviderEventID    string // the live record's own id, joins lists with details; may be ""
	Home, Away, League Field[string]
	StartsAt           Field[time.Time]

	RetrievedAt time.Time        // when the payload arrived, UTC, milliseconds
	ObservedAt  Field[time.Time] // when the provider says it was true

	Status    PlayStatus
	Clock     ClockReading
	Score     Score
	Counters  []Counter         // sorted by metric, each metric once
	Incidents Field[[]Incident] // in the provider's order; missing when not asked for or not sent
}

// At is when the sample was true, as far as is known: never after its retrieval.
func (s *Sample) At() time.Time {
	if at, ok := s.ObservedAt.Get(); ok && at.Before(s.RetrievedAt) {
		return at
	}
	return s.RetrievedAt
}

// Detached is a copy whose texts are its own: those of a sample as it was read lie in
// the payload, all of which they keep in memory.
func (s *Sample) Detached() Sample {
	d := *s
	d.ProviderFixtureID, d.ProviderEventID = strings.Clone(s.ProviderFixtureID), strings.Clone(s.ProviderEventID)
	for _, f := range []*Field[string]{&d.Home, &d.Away, &d.League} {
		if text, ok := f.Get(); ok {
			*f = Of(strings.Clone(text))
		}
	}
	d.Counters = slices.Clone(s.Counters)
	for i := range d.Counters {
		c := &d.Counters[i]
		c.Metric = Metric(strings.Clone(string(c.Metric)))
		for _, f := range []*Field[Number]{&c.Home, &c.Away} {
			if n, ok := f.Get(); ok {
				*f = Of(Number{strings.Clone(n.text), n.value})
			}
		}
	}
	if told, ok := s.Incidents.Get(); ok {
		told = slices.Clone(told)
		for i := range told {
			told[i].ID, told[i].Text = strings.Clone(told[i].ID), strings.Clone(told[i].Text)
		}
		d.Incidents = Of(told)
	}
	return d
}

// ByEvent begins the identity of a fixture that the market engine has no identity
// for: after it comes the live record's own id.
const ByEvent = "event:"

// IsByEvent tells a fixture that is known by its live record alone.
func (s *Sample) IsByEvent() bool { return strings.HasPrefix(s.ProviderFixtureID, ByEvent) }

// PlayStatus is where a fixture stands.
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
	Half           Field[int] // 1 to 4; 5 after extra time or for a shoot-out. Some providers are early
	Minute, Second Field[int] // on the scoreboard
	Added          Field[int]
	Running        Field[bool]
}

// IncidentKind is what happened.
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
	ID     string // the provider's; an incident without one cannot be told from its double
	Kind   IncidentKind
	Minute int // the minute under way, from 1; 45 and 90 in stoppage time
	Added  int // minutes into stoppage time, from 1; 0 outside it
	Side   Side
	Text   string // the provider's words on who and how, "" when none
}
