package publish_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

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
		fixtures = append(fixtures, table.FixtureRow{FixtureID: id, MarketCount: benchMarkets, SourceProvider: "betsapi", ProviderFetchedAt: c.at(), ContentDigest: fmt.Sprint(id, c.number)})
		for i := range benchMarkets {
			row := table.MarketRow{FixtureID: id, MarketID: fmt.Sprintf("mk_%026d", n*100+i), Market: ptr("TOTAL_GOALS"), Period: ptr("FT"), OriginType: "MAPPED", DerivationVersion: "1"}
			for s := range benchSelections {
				moved := (c.number + (n*7+i*13)%10) / 10 // every tenth market an hour
				odds := float64((n*7+i*13+s*31+moved)%900+101) / 100
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

// BenchmarkPublish publishes 80,000 markets on a real disk, of which every tenth moved: with every
// fixture refreshed, with one in a hundred carried over, and as builds before steps did.
func BenchmarkPublish(b *testing.B) {
	all := func(int) bool { return false }
	for _, of := range []struct {
		name         string
		skip         func(int) bool
		withoutSteps bool
	}{
		{"all refreshed", all, false},
		{"one in 100 carried over", func(n int) bool { return n%100 == 0 }, false},
		{"all refreshed, without steps", all, true},
	} {
		b.Run(of.name, func(b *testing.B) {
			disk, err := durable.OpenRoot(b.TempDir())
			must(b, err)
			var processor time.Duration
			run := func(number int, name string) {
				o := options(disk, cycle{number: number}, name)
				o.WithoutSteps = of.withoutSteps
				before := processorTime(b)
				_, err := publish.Run(context.Background(), o)
				must(b, err)
				processor += processorTime(b) - before
			}
			big(b, disk, cycle{number: 1}, all)
			run(1, "first")
			number := 1
			processor = 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				number++
				big(b, disk, cycle{number: number}, of.skip)
				b.StartTimer()
				run(number, fmt.Sprint("run-", number))
			}
			b.ReportMetric(processor.Seconds()*1000/float64(b.N), "cpu-ms/op")
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(benchFixtures*benchMarkets*b.N)/seconds, "markets/s")
			b.ReportMetric(float64(benchFixtures*benchMarkets*benchSelections*b.N)/seconds, "selections/s")
			head, _, err := snapshot.Head(disk)
			must(b, err)
			m, err := snapshot.Open(disk, head)
			must(b, err)
			if n := len(m.Steps); n > 0 {
				b.ReportMetric(float64(m.Steps[n-1].Bytes)/float64(m.Only(layout.MarketsFile).Files[0].Bytes), "steps/markets")
			}
		})
	}
}

// processorTime is the processor time that this process has taken. Beside other work it is more reliable
// than the time that has passed.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
