package compare_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"testing"

	"mkt/internal/evidence/compare"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// large writes a snapshot to disk, one fixture at a time. The odds of the fixtures for which
// moves is true are different.
func large(b *testing.B, fixtures, markets int, moves func(n int) bool) compare.Side {
	b.Helper()
	root, err := durable.OpenRoot(b.TempDir())
	must(b, err)
	b.Cleanup(func() { root.Close() })
	s := compare.Side{Root: root, Commit: snapshot.Commit{Version: 1, CycleID: "20261120T090000Z-market_engine"}, Manifest: snapshot.Manifest{Product: football.MarketEngine}}
	must(b, root.MkdirAll(s.Commit.Dir()))
	file := func(name string, write func(io.Writer) error) {
		f, err := snapshot.CreateFile(root, s.Commit.Dir(), name, write)
		must(b, err)
		s.Manifest.Files = append(s.Manifest.Files, f)
	}
	made := func(n int) fixture {
		f := sample(n, markets)
		for k := range f.markets {
			f.markets[k].SelectionCount = 2
			if moves(n) {
				f.markets[k].Selections[0].OddsDecimalText = of("2.05")
			}
		}
		f.row.MarketCount = int32(markets)
		f.row.ContentDigest = strconv.FormatBool(moves(n))
		return f
	}
	file(layout.FixturesFile, func(out io.Writer) error {
		w := table.NewWriter[table.FixtureRow](out, table.Header{})
		for n := range fixtures {
			if err := w.Write(made(n).row); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	})
	file(layout.MarketsFile, func(out io.Writer) error {
		w := table.NewWriter[table.MarketRow](out, table.Header{})
		for n := range fixtures {
			if err := w.Write(made(n).markets...); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	})
	return s
}

// BenchmarkRun compares snapshots of 2,000 fixtures with 40 markets each, of which all, every
// other or one in a hundred changed. heap-MiB is the largest heap.
func BenchmarkRun(b *testing.B) {
	const fixtures, markets = 2000, 40
	before := large(b, fixtures, markets, func(int) bool { return false })
	for _, every := range []int{1, 2, 100} {
		after := large(b, fixtures, markets, func(n int) bool { return n%every == 0 })
		b.Run(fmt.Sprint("every ", every), func(b *testing.B) {
			peak := uint64(0)
			for b.Loop() {
				sum, err := compare.Run(context.Background(), compare.Options{A: before, B: after, Progress: func(done, _ int64) {
					if done%1024 == 0 {
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapInuse)
					}
				}}, func(compare.Change) error { return nil })
				must(b, err)
				if sum.Changes[compare.OddsMoved] != fixtures/every*markets {
					b.Fatalf("%+v", sum)
				}
			}
			b.ReportMetric(float64(peak)/(1<<20), "heap-MiB")
			b.ReportMetric(float64(fixtures)*float64(b.N)/b.Elapsed().Seconds(), "fixtures/s")
		})
	}
}
