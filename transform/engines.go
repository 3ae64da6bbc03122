package transform

import (
	"context"

	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/live"
)

// engine is what differs between products.
type engine struct {
	version string // of the rules
	// derive reads the chosen cycle and fills the run's result.
	derive func(context.Context, *run) error
	// tables writes the result into a folder, and describes it.
	tables func(ctx context.Context, r *run, dir string, m *snapshot.Manifest) error
	// counts returns what the log and the state file record of a run.
	counts func(*Summary) []count
}

// count is one number for people.
type count struct {
	name string
	n    int
}

// engines is the only place that distinguishes the products.
var engines = map[football.Product]engine{
	football.MarketEngine:     {version: football.DerivationVersion, derive: deriveMarkets, tables: writeMarketTables, counts: marketCounts},
	football.LiveIntelligence: {version: live.Rules, derive: deriveLive, tables: writeLiveTables, counts: liveCounts},
}
