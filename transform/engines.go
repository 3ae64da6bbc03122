package transform

import (
	"log/slog"

	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/live/rules"
	"mkt/transform/prematch"
	"mkt/transform/tracking"
)

// engines is the only place that distinguishes the products.
var engines = map[football.Product]engine{
	football.MarketEngine:     {version: football.DerivationVersion, begin: beginPrematch, counts: marketCounts},
	football.LiveIntelligence: {version: rules.Version, begin: beginTracking, counts: liveCounts},
}

func beginPrematch(r *run, m *snapshot.Manifest) derivation {
	return &prematch.Cycle{Archive: r.archive, Provider: r.Provider, Key: r.Key, Workers: r.Workers, Rows: r.rows, Log: r.log(), Progress: r.Progress,
		Before: r.before, Observed: r.observed, Header: m, Totals: &r.summary.Totals, Counts: &r.summary.Counts}
}

func beginTracking(r *run, m *snapshot.Manifest) derivation {
	c := &tracking.Cycle{Root: r.Root, Records: r.Records, Archive: r.archive, Provider: r.Provider, Key: r.Key, Details: r.Details, Log: r.log(), Received: r.Received,
		States: r.States, Before: r.before, Observed: r.observed, Backfill: r.backfill, Header: m, Totals: &r.summary.Totals, Counts: &r.summary.Live}
	r.installed = c.Keep
	return c
}

func marketCounts(s *Summary) []slog.Attr {
	return []slog.Attr{slog.Int("fixtures", s.Fixtures), slog.Int("not_offered", s.NotOffered), slog.Int("markets", s.Markets),
		slog.Int("markets_mapped", s.Mapped), slog.Int("selections", s.Selections), slog.Int("selections_publishable", s.Publishable),
		slog.Int("no_offer", s.NoOffer), slog.Int("markets_without_prices", s.WithoutPrices), slog.Int("broken", s.Broken),
		slog.Int("partial", s.Partial), slog.Int("damaged", s.Damaged), slog.Int("suspicions", s.Suspicions.Total())}
}

func liveCounts(s *Summary) []slog.Attr { return s.Live.Named(&s.Totals) }
