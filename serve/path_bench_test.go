package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// BenchmarkPath measures, each beside a page of markets that is not cached, paths of 1,000 points in the
// steps of half a year: 4,380 hourly publications, compacted as they are when they are published. A
// match is there for two weeks, a season for the whole time. The first page of a path is followed by none
// and has nothing in memory but the indexes; the whole path is read in pages of 200 points.
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
	a := newAsker(b, w.serveFor(b))
	defer a.conn.Close()
	n := 0
	ask := func(kind string, whole bool) (pages [][]byte, size int) {
		n++
		from := servetest.Start.Add(-300*24*time.Hour - time.Duration(n)*time.Second) // no page is cached
		path := fmt.Sprintf("%s%s?limit=200&from=%s", api.HistoryRoot, paths[kind][n%len(paths[kind])], from.Format(time.RFC3339))
		for cursor := ""; ; {
			body, err := a.body(head(path+cursor, w.tokens["acme"], ""))
			must(b, err)
			pages, size = append(pages, body), size+len(body)
			_, rest, more := bytes.Cut(body, []byte(`"next_cursor":"`))
			if next, _, _ := bytes.Cut(rest, []byte(`"`)); more && whole {
				cursor = "&cursor=" + string(next)
				continue
			}
			return pages, size
		}
	}
	for range 2 * len(paths["match"]) { // the indexes are made, and their dictionaries read
		ask("match", false)
		ask("season", false)
	}
	for _, kind := range []string{"match", "season"} {
		for _, whole := range []bool{false, true} {
			name := map[bool]string{false: "first", true: "whole"}[whole]
			b.Run(kind+"/"+name, func(b *testing.B) {
				var path, page struct {
					time  time.Duration
					bytes int
				}
				var pages [][]byte
				for b.Loop() {
					var size int
					begun := time.Now()
					pages, size = ask(kind, whole)
					path.time, path.bytes = path.time+time.Since(begun), path.bytes+size
					begun = time.Now()
					size, err := a.ask(head("/api/v1/fixtures/"+servetest.FixtureID("acme", n*7919%300)+"/markets?limit="+strconv.Itoa(45+n%11), w.tokens["acme"], ""))
					must(b, err)
					page.time, page.bytes = page.time+time.Since(begun), page.bytes+size
				}
				per := float64(b.N)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(pathPoints(b, pages)), "points")
				b.ReportMetric(float64(path.bytes)/per/1000, "kB")
				b.ReportMetric(path.time.Seconds()*1000/per, "ms")
				b.ReportMetric(float64(page.bytes)/per/1000, "page-kB")
				b.ReportMetric(page.time.Seconds()*1000/per, "page-ms")
				b.ReportMetric(float64(path.time)/float64(page.time), "pages")
				b.ReportMetric(float64(path.time)/float64(path.bytes)/(float64(page.time)/float64(page.bytes)), "pages-per-kB")
			})
		}
	}
	var size int64
	for _, s := range root.Manifest.Steps {
		size += s.Bytes
	}
	b.Logf("%d segments of %d bytes", len(root.Manifest.Steps), size)
}

// pathPoints counts the points of pages.
func pathPoints(b *testing.B, pages [][]byte) (n int) {
	b.Helper()
	for _, body := range pages {
		var page struct {
			Data struct {
				Selections []struct{ Points []json.RawMessage }
			}
		}
		must(b, json.Unmarshal(body, &page))
		for _, s := range page.Data.Selections {
			n += len(s.Points)
		}
	}
	return n
}

// publishHalfAYear writes the steps of half a year before [servetest.Start], with a thousand points for
// each of some markets, whose paths it returns by kind.
func publishHalfAYear(b *testing.B, root *servetest.Root, moves int) map[string][]string {
	const (
		cycles     = 4380
		selections = 8
		asked      = 40  // markets of each kind, more than are cached
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
			if n%35 == k%35 { // 125 changes in half a year
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
