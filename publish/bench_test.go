package publish_test

import (
	"context"
	"fmt"
	"testing"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

const (
	benchFixtures   = 1000
	benchMarkets    = 80
	benchSelections = 8
)

func big(b *testing.B, f durable.FS, c cycle, skip func(n int) bool) {
	b.Helper()
	final, dir := layout.Cycle(layout.CanonicalDir, c.id()), layout.StagingDir+"/transform"
	must(b, durable.MkdirAllSync(f, dir))
	must(b, durable.MkdirAllSync(f, layout.CanonicalDir))
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.MarketEngine, CycleID: c.id(), Provider: "betsapi",
		ProviderFetchedAt: ptr(c.at()), ProcessedAt: ptr(c.at()), IDKeyFingerprint: "key", ListingComplete: true, Tables: map[string]snapshot.Table{},
	}
	var fixtures []table.FixtureRow
	var markets []table.MarketRow
	var listing []table.ListingRow
	for n := range benchFixtures {
		id := fixtureID(n)
		listing = append(listing, table.ListingRow{FixtureID: id, Status: "LISTED", Markets: "REFRESHED"})
		if skip(n) {
			continue
		}
		fixtures = append(fixtures, table.FixtureRow{FixtureID: id, MarketCount: benchMarkets, SourceProvider: "betsapi", ProviderFetchedAt: c.at(), ContentDigest: id})
		for i := range benchMarkets {
			row := table.MarketRow{FixtureID: id, MarketID: fmt.Sprintf("mk_%026d", n*100+i), Market: ptr("TOTAL_GOALS"), Period: ptr("FT"), OriginType: "MAPPED", DerivationVersion: "1"}
			for s := range benchSelections {
				odds := float64((n*7+i*13+s*31+c.number)%900+101) / 100
				row.Selections = append(row.Selections, table.SelectionRow{
					SelectionID: fmt.Sprintf("sl_%026d", n*1000+i*10+s), Selection: ptr("OVER"), Line: ptr(fmt.Sprint(s)), OddsDecimalText: ptr(fmt.Sprintf("%.2f", odds)), OddsDecimal: &odds,
					QualityStatus: "OK", Publishable: true, ProviderSelectionID: ptr(fmt.Sprint(n*1000 + i*10 + s)), Absent: []string{"odds_fractional"}, Labels: []table.LabelRow{{Field: "name", Text: "Over"}},
				})
			}
			markets = append(markets, row)
		}
	}
	writeTable(b, f, dir, layout.FixturesFile, "fixtures", &m, fixtures)
	writeTable(b, f, dir, layout.MarketsFile, "markets", &m, markets)
	writeTable(b, f, dir, layout.ListingFile, "listing", &m, listing)
	_, err := snapshot.CreateManifest(f, dir, m)
	must(b, err)
	must(b, durable.Install(f, dir, final))
}

// BenchmarkPublish publishes 80,000 markets on a real disk, with every fixture refreshed
// and with one in a hundred carried over.
func BenchmarkPublish(b *testing.B) {
	for name, skip := range map[string]func(int) bool{
		"all refreshed":           func(int) bool { return false },
		"one in 100 carried over": func(n int) bool { return n%100 == 0 },
	} {
		b.Run(name, func(b *testing.B) {
			disk, err := durable.OpenRoot(b.TempDir())
			must(b, err)
			big(b, disk, cycle{number: 1}, func(int) bool { return false })
			_, err = publish.Run(context.Background(), options(disk, cycle{number: 1}, "first"))
			must(b, err)
			number := 1
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				number++
				big(b, disk, cycle{number: number}, skip)
				b.StartTimer()
				_, err := publish.Run(context.Background(), options(disk, cycle{number: number}, fmt.Sprint("run-", number)))
				must(b, err)
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(benchFixtures*benchMarkets*b.N)/seconds, "markets/s")
			b.ReportMetric(float64(benchFixtures*benchMarkets*benchSelections*b.N)/seconds, "selections/s")
		})
	}
}
