package serve_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/servetest"
)

// BenchmarkPath measures, beside a page of markets that is not cached, paths of 1,000 points in the
// steps of half a year: 4,380 hourly publications, compacted as they are when they are published. A
// match is there for two weeks, a season for the whole time. No page is asked for twice, and none is
// followed by another page of its path.
func BenchmarkPath(b *testing.B) {
	moves := 500 // of selections, in a publication
	if os.Getenv("MKT_BENCH_LARGE") != "" {
		moves = 10_000
	}
	w := newWorld(b, "acme")
	w.accounts["acme"].Features[account.History] = true
	root := w.root("acme")
	paths := publishHalfAYear(b, root, moves)
	root.Publish(servetest.Content{Fixtures: servetest.Samples("acme", 300, 80, 1)})
	w.fetched("acme")
	w.edit = func(o *serve.Options) { o.Extensions = account.Extensions() }
	address := w.serveFor(b)
	a := newAsker(b, address)
	defer a.conn.Close()
	ask := func(path string) int {
		size, err := a.ask(head(path, w.tokens["acme"], ""))
		must(b, err)
		return size
	}
	for _, kind := range []string{"match", "season"} {
		for _, market := range paths[kind] {
			if size := ask(api.HistoryRoot + market + "?limit=200"); size < 20_000 {
				b.Fatalf("%s: %d bytes", market, size)
			}
		}
		b.Run(kind, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				from := servetest.Start.Add(-300*24*time.Hour - time.Duration(n)*time.Second)
				b.SetBytes(int64(ask(fmt.Sprintf("%s%s?limit=200&from=%s", api.HistoryRoot, paths[kind][n%len(paths[kind])], from.Format(time.RFC3339)))))
			}
		})
	}
	b.Run("page", func(b *testing.B) {
		n, limit := 0, 0
		for b.Loop() {
			n, limit = (n+7919)%300, (limit+1)%11
			b.SetBytes(int64(ask("/api/v1/fixtures/" + servetest.FixtureID("acme", n) + "/markets?limit=" + strconv.Itoa(45+limit))))
		}
	})
	m := root.Manifest
	var bytes int64
	for _, s := range m.Steps {
		bytes += s.Bytes
	}
	b.Logf("%d segments of %d bytes", len(m.Steps), bytes)
}

// publishHalfAYear writes the steps of half a year before [servetest.Start], with a thousand points for
// each of some markets, whose paths it returns by kind.
func publishHalfAYear(b *testing.B, root *servetest.Root, moves int) map[string][]string {
	const (
		cycles     = 4380
		selections = 8
		asked      = 8   // markets of each kind
		life       = 336 // of a match
	)
	yes := true
	random := rand.New(rand.NewPCG(1, 2))
	paths := map[string][]string{}
	id := func(fixture, market int) (string, string) {
		f := servetest.FixtureID("acme", 1_000_000+fixture)
		return f, servetest.ID("mk_", f, "/", market)
	}
	prices := make([]string, 900)
	for i := range prices {
		prices[i] = fmt.Sprintf("%.2f", 1.01+float64(i)/100)
	}
	moved, begun := map[[2]int]bool{}, map[string]bool{}
	for n := range cycles {
		at := servetest.Start.Add(time.Duration(n-cycles) * time.Hour)
		cycle := layout.NewCycleID(at, string(root.Product))
		header := table.Header{ClientID: "acme", Product: string(root.Product), CycleID: string(cycle), Provider: "betsapi", DerivationVersion: "1"}
		first := root.Commit.LastSeq + 1
		clear(moved)
		for k := range asked {
			if n%35 == k { // 125 changes in half a year
				moved[[2]int{-1, k}] = true
			}
			if n >= cycles-life-500 && n < cycles-500 && n*125/life > (n-1)*125/life {
				moved[[2]int{-2, k}] = true
			}
		}
		for len(moved) < moves/selections {
			moved[[2]int{n/6 + random.IntN(life/6), random.IntN(80)}] = true
		}
		var rows []table.StepRow
		seqs := map[string]int64{}
		for m := range moved {
			f, market := id(m[0], m[1])
			if seqs[f] == 0 {
				root.Commit.LastSeq++
				seqs[f] = int64(root.Commit.LastSeq)
			}
			if m[0] < 0 && !begun[f] {
				begun[f] = true
				rows = append(rows, table.StepRow{FixtureID: f, Seq: seqs[f], PublishedAt: at, CycleID: string(cycle), Version: int64(n + 1), ProcessedAt: &at, Present: true, StartsAt: &servetest.Start})
			}
			for s := range selections {
				rows = append(rows, table.StepRow{FixtureID: f, MarketID: market, SelectionID: servetest.ID("sl_", market, "/", s), Seq: seqs[f], PublishedAt: at, CycleID: string(cycle),
					Version: int64(n + 1), ProcessedAt: &at, Present: true, ProviderFetchedAt: &at, MarketName: &market, Selection: &outcomes[s%3], OddsDecimalText: &prices[random.IntN(900)],
					Publishable: &yes, Absent: []string{"odds_fractional"}})
			}
		}
		slices.SortFunc(rows, func(a, b table.StepRow) int { return a.Compare(&b) })
		add := func(s snapshot.Segment) { root.Manifest.Steps = append(root.Manifest.Steps, s) }
		name := layout.Segment(layout.StepsDir, first, root.Commit.LastSeq, cycle)
		must(b, durable.Create(root.FS, name, func(out io.Writer) error {
			w := table.NewWriter[table.StepRow](out, header)
			must(b, w.Write(rows...))
			_, err := w.Close()
			return err
		}))
		size, sum, err := durable.HashFile(root.FS, name)
		must(b, err)
		add(snapshot.Segment{File: name, First: first, Last: root.Commit.LastSeq, At: at, Bytes: size, SHA256: sum})
		dir := fmt.Sprintf("%s/steps-%d", layout.StagingDir, n)
		must(b, durable.MkdirAllSync(root.FS, dir))
		all, made, err := retention.CompactSteps(context.Background(), root.FS, dir, header, root.Manifest.Steps)
		must(b, err)
		for final, staged := range made {
			must(b, root.FS.Rename(staged, final))
		}
		for _, s := range root.Manifest.Steps {
			if !slices.ContainsFunc(all, func(kept snapshot.Segment) bool { return kept.File == s.File }) {
				must(b, root.FS.Remove(s.File))
			}
		}
		must(b, root.FS.RemoveAll(dir))
		root.Manifest.Steps = all
	}
	for k := range asked {
		for kind, fixture := range map[string]int{"season": -1, "match": -2} {
			f, market := id(fixture, k)
			paths[kind] = append(paths[kind], "/fixtures/"+f+"/markets/"+market)
		}
	}
	return paths
}

var outcomes = []string{"HOME", "DRAW", "AWAY"}
