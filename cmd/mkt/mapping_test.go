package main

import (
	"testing"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform"
)

// mapping check --tenant agrees with what the pipeline made of the same cycle.
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
	coverage, err := transform.CoverArchive(archive, betsapi.Provider())
	p.must(err)
	var sum transform.Totals
	for i := range coverage.Payloads {
		t := coverage.Payloads[i].Totals()
		sum.Markets, sum.Mapped, sum.Raw = sum.Markets+t.Markets, sum.Mapped+t.Mapped, sum.Raw+t.Raw
		sum.Selections, sum.Publishable, sum.WithoutPrices = sum.Selections+t.Selections, sum.Publishable+t.Publishable, sum.WithoutPrices+t.WithoutPrices
	}
	m, _, err := snapshot.OpenCanonical(root, newest.CycleID)
	p.must(err)
	for name, got := range map[string]int{"markets": sum.Markets, "markets_mapped": sum.Mapped, "selections": sum.Selections,
		"selections_publishable": sum.Publishable, "markets_without_prices": sum.WithoutPrices} {
		if want := m.Counters[name]; int64(got) != want || want == 0 {
			t.Errorf("%s: mapping check reports %d, the pipeline made %d", name, got, want)
		}
	}
}
