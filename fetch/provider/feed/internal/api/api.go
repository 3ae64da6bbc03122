// Package api has the names of the feed's wire format that the adapter and the reference
// server share: endpoints, parameters and states.
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
