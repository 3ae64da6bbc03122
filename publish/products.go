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
	// decide: a cycle refreshes some fixtures, the others are carried over, and there is
	// a change log. Otherwise the cycle's rows are the whole dataset.
	decide bool
	// tables writes the tables of the snapshot and describes them.
	tables func(context.Context, *Draft) error
	// checked: a child process loads the result before it is committed. That takes
	// longer than the time between two cycles of the live product, whose files are copies
	// of those that transform wrote, compared with their hashes once more.
	checked bool
}

// products is the one place where products differ.
var products = map[football.Product]product{
	football.MarketEngine:     {decide: true, tables: mergeMarkets, checked: true},
	football.LiveIntelligence: {tables: copyLive},
}

// mergeMarkets writes the tables of the market engine: what was refreshed replaces what
// was there, the rest is carried over.
func mergeMarkets(ctx context.Context, d *Draft) error {
	choose := d.plan.sources()
	if err := writeTable[table.FixtureRow](ctx, d, layout.FixturesFile, "fixtures", choose); err != nil {
		return err
	}
	if err := writeTable[table.MarketRow](ctx, d, layout.MarketsFile, "markets", choose); err != nil {
		return err
	}
	if got, want := d.Manifest.Tables["markets"].Rows, d.plan.markets(); got != want {
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

// copyLive copies the tables of live intelligence: a cycle has every fixture that is
// tracked, so that nothing is carried over.
func copyLive(ctx context.Context, d *Draft) error {
	for _, t := range liveTables {
		if err := copyTable(ctx, d, t.file, t.key); err != nil {
			return err
		}
	}
	return nil
}
