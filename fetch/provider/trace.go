package provider

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// Trace records the position in a payload of each value that a reader read. The code
// that reads a value reports it, so the two cannot disagree. A nil Trace records
// nothing and costs nothing.
type Trace struct {
	// Only, if not "", is the only fixture to be recorded. A reader calls For before
	// it reads the parts of a fixture.
	Only string

	found map[Subject][]Found
}

// Subject identifies a thing in a payload. Only the parts that identify it are set.
type Subject struct {
	Fixture string // provider's id of the fixture, in live payloads of the item
	Market  string // provider's key of the market
	Row     uint32 // see input.Row.Place
}

// Found is one thing in a payload.
type Found struct {
	Field string         // canonical word for the value, or the provider's name of a label
	Path  string         // as jq takes it, ".results[0].main.sp.corners.odds[2].odds"
	Text  string         // as in the payload, with its quotes
	State football.State // Null if it holds no value
}

// Report records where something was read. An absent value is not recorded.
func (t *Trace) Report(s Subject, field string, v strictjson.Value) {
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
	// The text is a part of the payload: without a copy it would keep the whole payload in memory.
	own := Subject{strings.Clone(s.Fixture), strings.Clone(s.Market), s.Row}
	t.found[own] = append(t.found[own], Found{strings.Clone(field), v.Path(), strings.Clone(v.Raw()), state})
}

// For returns the trace for the parts of one fixture, nil if it is not recorded.
func (t *Trace) For(fixture string) *Trace {
	if t != nil && t.Only != "" && t.Only != fixture {
		return nil
	}
	return t
}

// Join adds the values found of one thing to another.
func (t *Trace) Join(to, from Subject) {
	if t != nil && to != from {
		t.found[to] = append(t.found[to], t.found[from]...)
	}
}

// Begin returns the offset at which a row begins, for input.Row.Place; 0 if nothing
// is traced.
func (t *Trace) Begin(row strictjson.Value) uint32 {
	if t == nil {
		return 0
	}
	return uint32(row.Start())
}

// Of returns everything found of a thing, in the order of reading. A value absent from
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
	FieldClaim       = "claim" // what the provider says itself that a market or a row is

	FieldFixtureID = "provider_fixture_id"
	FieldScore     = "score"
	FieldClock     = "clock"    // ".minute" and the like follow
	FieldCounter   = "counter." // before the metric
	FieldIncident  = "incident."
)
