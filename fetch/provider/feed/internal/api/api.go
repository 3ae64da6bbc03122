// Package api has the names of the feed's wire format that the adapter and the reference
// server share: endpoints, parameters and members.
//
// Source: docs/feed.md and docs/feed.schema.json.
package api

// Endpoints: the closed set of names in the archive.
const (
	EndpointFixtures = "fixtures"
	EndpointMarkets  = "markets"
	EndpointLive     = "live"

	PathFixtures = "/feed/v1/fixtures"
	PathMarkets  = "/feed/v1/markets"
	PathLive     = "/feed/v1/live"
)

// Query parameters.
const (
	ParamCursor   = "cursor"
	ParamFixtures = "fixtures" // ids, separated by commas
)

// MaxFixtures is how many fixtures a request for markets may name.
const MaxFixtures = 50

// States of a fixture.
const (
	NotStarted = "NOT_STARTED"
	InPlay     = "IN_PLAY"
	Halted     = "HALTED"
	Over       = "OVER"
	Off        = "OFF"
)

// Members of the answers.
const (
	KeySource   = "source"
	KeyComplete = "complete"
	KeyCount    = "count"
	KeyNext     = "next"
	KeyFixtures = "fixtures"
	KeyMissing  = "missing"
	KeyMatches  = "matches"

	KeyID        = "id"
	KeyHome      = "home"
	KeyAway      = "away"
	KeyLeague    = "league"
	KeyStart     = "starts_at"
	KeyStatus    = "status"
	KeyRetrieved = "retrieved_at"
	KeyObserved  = "observed_at"

	KeyMarkets    = "markets"
	KeyName       = "name"
	KeySuspended  = "suspended"
	KeySelections = "selections"
	KeyLabels     = "labels"
	KeyOdds       = "odds"
	KeyDecimal    = "decimal"
	KeyFractional = "fractional"

	KeyClaim     = "claim"
	KeyMarket    = "market"
	KeyPeriod    = "period"
	KeySelection = "selection"
	KeyLine      = "line"
	KeySubject   = "subject"

	KeyClock    = "clock"
	KeyScore    = "score"
	KeyCounters = "counters"
	KeyEvents   = "events"
)
