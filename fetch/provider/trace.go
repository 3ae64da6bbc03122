package provider

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// Trace is told by a reader where in a payload it found what it read: by the
// lines of code that read it, so that there is no second opinion of it. A nil
// Trace is told nothing and costs nothing.
type Trace struct {
	// Only, when not "", is the one fixture of interest: of others nothing is noted.
	// A reader asks For before it reads the parts of one.
	Only string

	found map[Subject][]Found
}

// Subject is a thing that was read. Of its parts those are set that tell it apart.
type Subject struct {
	Fixture string // provider's id of the fixture, in live payloads of the item
	Market  string // provider's key of the market
	Row     uint32 // input.Row.Place
}

// Found is one thing in a payload.
type Found struct {
	Field string         // canonical word for what was read, or the provider's name of a label
	Path  string         // as jq takes it, ".results[0].main.sp.corners.odds[2].odds"
	Text  string         // as it stands there, quotes included
	State football.State // Null when it holds no value
}

// Tell notes where something was read. A value that is absent was not found.
func (t *Trace) Tell(s Subject, field string, v strictjson.Value) {
	if t == nil || v.Kind() == strictjson.Absent || s.Fixture != "" && t.For(s.Fixture) == nil {
		return
	}
	if t.found == nil {
		t.found = make(map[Subject][]Found)
	}
	state := football.Present
	if v.Kind() == strictjson.Null || v.Raw() == `""` {
		state = football.Null
	}
	// What is handed in lies in the payload, all of which it would keep in memory.
	own := Subject{strings.Clone(s.Fixture), strings.Clone(s.Market), s.Row}
	t.found[own] = append(t.found[own], Found{strings.Clone(field), v.Path(), strings.Clone(v.Raw()), state})
}

// For is the trace to be told of one fixture: nil when it is of no interest.
func (t *Trace) For(fixture string) *Trace {
	if t != nil && t.Only != "" && t.Only != fixture {
		return nil
	}
	return t
}

// Join gives one thing what was found of another, too.
func (t *Trace) Join(to, from Subject) {
	if t != nil && to != from {
		t.found[to] = append(t.found[to], t.found[from]...)
	}
}

// Begin is where a row begins, to be kept in input.Row.Place; 0 when
// nothing is traced.
func (t *Trace) Begin(row strictjson.Value) uint32 {
	if t == nil {
		return 0
	}
	return uint32(row.Start())
}

// Of is all that was found of a thing, in the order it was read. What is not in
// it was not in the payload.
func (t *Trace) Of(s Subject) []Found {
	if t == nil {
		return nil
	}
	return t.found[s]
}

// Fields of a Found, beside the labels of a row and the counters of a fixture,
// which have the provider's names.
const (
	FieldThing       = "." // the whole thing: a listed fixture, a market, a row
	FieldHome        = "home"
	FieldAway        = "away"
	FieldLeague      = "league"
	FieldStartsAt    = "starts_at"
	FieldStatus      = "status"
	FieldTeams       = "home and away"
	FieldMarketID    = "provider_market_ids"
	FieldMarketName  = "market_name"
	FieldSelectionID = "provider_selection_id"
	FieldDecimal     = "odds.decimal"
	FieldFractional  = "odds.fractional"
	FieldPacked      = "packed" // several fields in one text
	FieldSuspended   = "suspended"

	FieldFixtureID = "provider_fixture_id"
	FieldScore     = "score"
	FieldClock     = "clock"    // ".minute" and the like follow
	FieldCounter   = "counter." // before the metric
	FieldIncident  = "incident."
)
