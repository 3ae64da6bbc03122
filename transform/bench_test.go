package transform_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// simulated returns the answers of a simulated world: its listing and its markets, ten
// fixtures each.
func simulated(t testing.TB, seed uint64, fixtures int) (provider.MarketAdapter, []provider.Payload, []provider.Payload) {
	now := time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)
	sim, err := emulator.New(simulator.Options{Seed: seed, Fixtures: fixtures, Now: func() time.Time { return now }, Quota: 1 << 20})
	must(t, err)
	ask := asker{t, sim, sim.Tokens()[0], now}
	var pages, sheets []provider.Payload
	var ids []string
	for _, f := range sim.Listed(ask.token) {
		if f.Human && !f.Over {
			ids = append(ids, f.ID)
		}
	}
	for n := 1; n <= (fixtures+49)/50; n++ {
		pages = append(pages, ask.get("bet365/upcoming", fmt.Sprint("/v1/bet365/upcoming?sport_id=1&page=", n)))
	}
	for ten := range slices.Chunk(ids, 10) {
		sheets = append(sheets, ask.get("bet365/prematch", "/v4/bet365/prematch?FI="+strings.Join(ten, ",")))
	}
	return betsapi.Provider().Markets, pages, sheets
}

// BenchmarkReadAndDerive is the engine from a payload's bytes to canonical
// markets, on one core.
func BenchmarkReadAndDerive(b *testing.B) {
	adapter, pages, sheets := simulated(b, 1, 100)
	listing, err := adapter.ReadListing(pages)
	must(b, err)
	d := markets.New(identity.NewMinter(identity.Key{1}, "betsapi"))
	var bytes int64
	for _, p := range sheets {
		bytes += int64(len(p.Body))
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	count, selections := 0, 0
	for b.Loop() {
		count, selections = 0, 0
		for _, p := range sheets {
			sheet, err := adapter.ReadMarkets(p, listing)
			must(b, err)
			for i := range sheet.Fixtures {
				for _, m := range d.Derive(&sheet.Fixtures[i].Fixture, sheet.Fixtures[i].Offers) {
					count++
					selections += len(m.Selections)
				}
			}
		}
	}
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(float64(count)*perSecond, "markets/s")
	b.ReportMetric(float64(selections)*perSecond, "selections/s")
}

// BenchmarkDerive is the engine alone, on offers that are read already.
func BenchmarkDerive(b *testing.B) {
	adapter, pages, sheets := simulated(b, 1, 50)
	listing, err := adapter.ReadListing(pages)
	must(b, err)
	var fixtures []provider.FixtureOffers
	for _, p := range sheets {
		sheet, err := adapter.ReadMarkets(p, listing)
		must(b, err)
		fixtures = append(fixtures, sheet.Fixtures...)
	}
	d := markets.New(identity.NewMinter(identity.Key{1}, "betsapi"))
	b.ReportAllocs()
	selections := 0
	var all []football.Market
	for b.Loop() {
		selections = 0
		for i := range fixtures {
			all = d.Derive(&fixtures[i].Fixture, fixtures[i].Offers)
			for k := range all {
				selections += len(all[k].Selections)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(selections), "ns/selection")
}

// BenchmarkRun is the whole stage on a real disk: archive to canonical folder.
func BenchmarkRun(b *testing.B) {
	_, pages, sheets := simulated(b, 1, 300)
	root, err := durable.OpenRoot(b.TempDir())
	must(b, err)
	data := durabletest.NewMem()
	must(b, world{pages: pages, sheets: sheets}.archive(root))
	var s transform.Summary
	for b.Loop() {
		must(b, root.RemoveAll(layout.CanonicalDir))
		s, err = run(root, data)
		must(b, err)
	}
	b.SetBytes(s.Bytes)
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(float64(s.Markets)*perSecond, "markets/s")
	b.ReportMetric(float64(s.Fixtures)*perSecond, "fixtures/s")
}

// BenchmarkRecorded is the engine on recorded answers of the provider.
func BenchmarkRecorded(b *testing.B) {
	folder := recorded(b)
	adapter := betsapi.Provider().Markets
	listing := provider.Listing{Fixtures: recordedFixtures()}
	d := markets.New(identity.NewMinter(identity.Key{1}, "betsapi"))
	for name := range recordings {
		body, err := fs.ReadFile(folder, "bet365-prematch/"+name)
		must(b, err)
		b.Run(strings.TrimSuffix(name, ".json"), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			count := 0
			for b.Loop() {
				sheet, err := adapter.ReadMarkets(provider.Payload{Body: body}, listing)
				must(b, err)
				count = len(d.Derive(&sheet.Fixtures[0].Fixture, sheet.Fixtures[0].Offers))
			}
			b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "markets/s")
		})
	}
}
