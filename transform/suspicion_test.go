package transform_test

import (
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestSimulatedWorldIsNotSuspicious: nothing in the simulated answers of BetsAPI is
// suspicious, and the manifest of a cycle says so.
func TestSimulatedWorldIsNotSuspicious(t *testing.T) {
	adapter, pages, sheets := simulated(t, 1, 60)
	listing, err := adapter.ReadListing(pages)
	must(t, err)
	d := markets.New(identity.NewMinter(identity.Key{1}, "betsapi"))
	var s markets.Suspecter
	for _, p := range sheets {
		sheet, err := adapter.ReadMarkets(p, listing)
		must(t, err)
		for i := range sheet.Fixtures {
			f := &sheet.Fixtures[i]
			s.Look(d.Derive(&f.Fixture, f.Offers), func(kind markets.Suspicion, m *football.Market, seen string) {
				t.Errorf("%s: %s %s %s (%s): %s", f.Fixture.ProviderFixtureID, kind, m.Canonical, m.Period, m.Key, seen)
			})
		}
	}
	mem := world{pages: pages, sheets: sheets}.mem(t)
	_, err = run(mem, mem)
	must(t, err)
	m, _, err := snapshot.OpenCanonical(mem, cycleID)
	must(t, err)
	for _, name := range []string{"suspicions", "suspicions:extra_selection", "suspicions:lines_out_of_order", "suspicions:unmirrored_handicap", "suspicions:swapped_labels",
		"suspicions:odd_margin", "suspicions:other_favourite"} {
		if n, counted := m.Counters[name]; !counted || n != 0 {
			t.Errorf("%s: %d, counted %v", name, n, counted)
		}
	}
}

// BenchmarkSuspicions compares with BenchmarkReadAndDerive on the same fixtures what
// looking for suspicions costs.
func BenchmarkSuspicions(b *testing.B) {
	adapter, pages, sheets := simulated(b, 1, 100)
	listing, err := adapter.ReadListing(pages)
	must(b, err)
	var all [][]football.Market
	for _, p := range sheets {
		var sheet provider.Sheet
		sheet, err = adapter.ReadMarkets(p, listing)
		must(b, err)
		for i := range sheet.Fixtures {
			all = append(all, markets.Derive(identity.NewMinter(identity.Key{1}, "betsapi"), sheet.Fixtures[i].Fixture, sheet.Fixtures[i].Offers))
		}
	}
	b.ReportAllocs()
	var s markets.Suspecter
	for b.Loop() {
		for _, of := range all {
			s.Look(of, nil)
		}
	}
}
