package reader_test

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/serve/internal/reader/markets"
)

func BenchmarkLoad(b *testing.B) {
	root := published(b, 200, 80)
	for b.Loop() {
		refresh(open(b, root.DataDir)).Acquire().Release()
	}
	b.ReportMetric(200*80*float64(b.N)/b.Elapsed().Seconds(), "markets/s")
}

func BenchmarkColdPage(b *testing.B) {
	for _, fixtures := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(fixtures), func(b *testing.B) {
			if fixtures > 1_000 {
				needs.Env(b, "MKT_BENCH_LARGE", "1, for minutes and gigabytes")
			}
			root := servetest.NewRoot(b, b.TempDir(), "acme")
			root.PublishSamples(fixtures, 80)
			l := open(b, root.DataDir)
			began := time.Now()
			v := refresh(l).Acquire()
			defer v.Release()
			debug.FreeOSMemory()
			b.Logf("loaded in %v, %d MiB resident", time.Since(began), check.Resident(b, os.Getpid())>>20)
			n := 0
			b.Run("first", func(b *testing.B) {
				defer cpuTime(b)()
				for b.Loop() {
					n = (n + 7919) % fixtures
					f, _ := v.Find(servetest.FixtureID("acme", n))
					size := 0
					_, err := v.Markets(context.Background(), f, markets.Filter{}, "", 50, func(id, body []byte) { size += len(body) })
					must(b, err)
					b.SetBytes(int64(size))
				}
			})
			b.Run("cursor", func(b *testing.B) {
				defer cpuTime(b)()
				for b.Loop() {
					n = (n + 7919) % fixtures
					f, _ := v.Find(servetest.FixtureID("acme", n))
					_, err := v.Markets(context.Background(), f, markets.Filter{}, "mk_gzzz", 50, func(id, body []byte) {})
					must(b, err)
				}
			})
			b.Run("filter", func(b *testing.B) {
				defer cpuTime(b)()
				for b.Loop() {
					n = (n + 7919) % fixtures
					f, _ := v.Find(servetest.FixtureID("acme", n))
					_, err := v.Markets(context.Background(), f, markets.Filter{Market: "TOTAL_GOALS"}, "", 50, func(id, body []byte) {})
					must(b, err)
				}
			})
			b.Run("fixtures", func(b *testing.B) {
				defer cpuTime(b)()
				for b.Loop() {
					n = (n + 7919) % fixtures
					_, err := v.Fixtures(context.Background(), markets.FixtureFilter{}, servetest.FixtureID("acme", n), 50, func(_, _ []byte) {})
					must(b, err)
				}
			})
			b.Logf("%d MiB resident", check.Resident(b, os.Getpid())>>20)
		})
	}
}

// cpuTime reports the processor time of an operation, which varies less than the
// elapsed time on a machine that does other things too.
func cpuTime(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/op") }
}
