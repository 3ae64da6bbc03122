package transform

import (
	"context"

	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/live/rules"
)

type engine struct {
	version string // of the rules
	// derive reads the chosen cycle and sets the run's result.
	derive func(context.Context, *run) error
	// tables writes the result into a folder and adds its description to m.
	tables func(ctx context.Context, r *run, dir string, m *snapshot.Manifest) error
	// counts returns the numbers of a run for the log and the state file.
	counts func(*Summary) []count
}

type count struct {
	name string
	n    int
}

// engines is the only place that distinguishes the products.
var engines = map[football.Product]engine{
	football.MarketEngine:     {version: football.DerivationVersion, derive: deriveMarkets, tables: writeMarketTables, counts: marketCounts},
	football.LiveIntelligence: {version: rules.Version, derive: deriveLive, tables: writeLiveTables, counts: liveCounts},
}
