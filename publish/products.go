package publish

import (
	"context"
	"fmt"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// product is what is different about a product.
type product struct {
	// decide reads what is in the cycle, and settles what becomes of every
	// fixture; nil when the cycle's rows are the whole dataset as they are.
	decide func(context.Context, *run) error
	// tables writes the tables of the snapshot and describes them.
	tables func(context.Context, *run, *snapshot.Manifest) error
	// changes: it has a change log.
	changes bool
	// checked: the result is loaded by a child before it is committed. A child
	// takes longer than a tick may: the live product's files are copies of those
	// that transform wrote and summed up, held against their hashes once more.
	checked bool
	// ticks: it has thousands of cycles a day, see Retention.For.
	ticks bool
}

// products is the one place where a product is told from another.
var products = map[football.Product]product{
	football.MarketEngine:     {decide: decideMarkets, tables: mergeMarkets, changes: true, checked: true},
	football.LiveIntelligence: {tables: copyLive, ticks: true},
}

// decideMarkets is the market engine's.
func decideMarkets(ctx context.Context, r *run) error {
	if err := r.readInputs(ctx); err != nil {
		return err
	}
	r.plan = decide(r.in, r.AcceptRemovals)
	return nil
}

// mergeMarkets is the market engine's: what was refreshed replaces what was
// there, the rest is carried over.
func mergeMarkets(ctx context.Context, r *run, m *snapshot.Manifest) error {
	choose := r.plan.sources()
	if err := stageTable[table.FixtureRow](ctx, r, m, layout.FixturesFile, "fixtures", choose); err != nil {
		return err
	}
	if err := stageTable[table.MarketRow](ctx, r, m, layout.MarketsFile, "markets", choose); err != nil {
		return err
	}
	if got, want := m.Tables["markets"].Rows, r.plan.markets(); got != want {
		return fmt.Errorf("%d market rows, the fixtures say %d: %w", got, want, snapshot.ErrDamaged)
	}
	return nil
}

// liveTables are the tables of a live snapshot, by their names in manifests.
var liveTables = []struct{ file, key string }{
	{layout.LiveFile, "live"},
	{layout.LiveCountersFile, "live_counters"},
	{layout.LiveTimelineFile, "live_timeline"},
	{layout.LiveBucketsFile, "live_buckets"},
	{layout.LivePeriodsFile, "live_periods"},
}

// copyLive is live intelligence's: a cycle has every fixture that is followed, so
// that nothing is carried over.
func copyLive(ctx context.Context, r *run, m *snapshot.Manifest) error {
	for _, t := range liveTables {
		if err := copyTable(ctx, r, m, t.file, t.key); err != nil {
			return err
		}
	}
	return nil
}
