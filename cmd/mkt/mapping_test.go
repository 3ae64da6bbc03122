package main

import (
	"testing"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/coverage"
)

// mapping report --tenant agrees with what the pipeline made of the same cycle.
func TestMappingCheckAgreesWithThePipeline(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 12, InPlay: -1})
	p.cycle(football.MarketEngine)
	root, err := p.dataset(football.MarketEngine).Open()
	p.must(err)
	defer root.Close()
	newest, _, err := raw.Newest(root)
	p.must(err)
	archive, err := raw.Open(root, newest.CycleID)
	p.must(err)
	report, err := coverage.OfArchive(archive, betsapi.Provider())
	p.must(err)
	sum := report.Summary().Total
	m, _, err := snapshot.OpenCanonical(root, newest.CycleID)
	p.must(err)
	for name, got := range map[string]int{"markets": sum.Markets, "markets_mapped": sum.Mapped, "selections": sum.Selections,
		"selections_publishable": sum.Publishable, "markets_without_prices": sum.WithoutPrices} {
		if want := m.Counters[name]; int64(got) != want || want == 0 {
			t.Errorf("%s: mapping report reports %d, the pipeline made %d", name, got, want)
		}
	}
}
