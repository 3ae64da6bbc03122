package main

import (
	"errors"
	"testing"

	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
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
	var sum coverage.Totals
	for i := range report.Payloads {
		t := report.Payloads[i].Totals()
		sum.Markets, sum.Mapped, sum.Raw = sum.Markets+t.Markets, sum.Mapped+t.Mapped, sum.Raw+t.Raw
		sum.Selections, sum.Publishable, sum.WithoutPrices = sum.Selections+t.Selections, sum.Publishable+t.Publishable, sum.WithoutPrices+t.WithoutPrices
	}
	m, _, err := snapshot.OpenCanonical(root, newest.CycleID)
	p.must(err)
	for name, got := range map[string]int{"markets": sum.Markets, "markets_mapped": sum.Mapped, "selections": sum.Selections,
		"selections_publishable": sum.Publishable, "markets_without_prices": sum.WithoutPrices} {
		if want := m.Counters[name]; int64(got) != want || want == 0 {
			t.Errorf("%s: mapping report reports %d, the pipeline made %d", name, got, want)
		}
	}
}

// mapping explain finds the rule of every published market by its id, and why a RAW one has
// none.
func TestMappingExplainsPublishedMarkets(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 6, InPlay: -1})
	p.cycle(football.MarketEngine)
	root, err := p.dataset(football.MarketEngine).Open()
	p.must(err)
	defer root.Close()
	c, err := snapshot.Find(root, snapshot.Newest)
	p.must(err)
	m, err := snapshot.Open(root, c)
	p.must(err)
	met := map[string]int{}
	for row, err := range snapshot.VerifiedRows[table.MarketRow](root, c.Dir(), m, layout.MarketsFile) {
		p.must(err)
		id, rule, key, origin := row.MarketID, row.Rule, row.ProviderMarketKey, row.OriginType
		if met[origin]++; met[origin] > 3 {
			continue
		}
		target, err := explain.ParseTarget(row.FixtureID + "/" + id)
		p.must(err)
		got, err := explain.HowMapped(explain.Options{Root: root, At: snapshot.Newest}, target)
		p.must(err)
		switch {
		case got.Provider != "betsapi" || got.Key != key:
			t.Errorf("%s: %+v, want the key %s", id, got, key)
		case origin == string(football.Raw) && (got.Rule != "" || explain.WhyRaw(got.RawReason) == ""):
			t.Errorf("%s: RAW, %+v", id, got)
		case origin == string(football.Mapped) && (got.Rule != *rule || betsapi.Provider().Table().Rule(got.Rule) == ""):
			t.Errorf("%s: mapped by %s, %+v", id, *rule, got)
		}
	}
	if met[string(football.Raw)] == 0 || met[string(football.Mapped)] == 0 {
		t.Errorf("%v", met)
	}
	target, err := explain.ParseTarget("mk_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	p.must(err)
	if _, err := explain.HowMapped(explain.Options{Root: root, At: snapshot.Newest}, target); !errors.Is(err, explain.ErrUnknown) {
		t.Error(err)
	}
}
