package console_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

const acmeAccount = `version: 1
tenants:
  - id: acme
    products: {market_engine: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
`

// BenchmarkPages opens every page of fixtures, cycles and audit: cold in a console that has just
// started, and warm in one that was asked for the page before. With MKT_BENCH_LARGE=1 the root
// has 2,000 fixtures and 200 snapshots, which takes some ten minutes to make; with MKT_BENCH_ROOT
// it is made in that folder, and used again if it is there.
func BenchmarkPages(b *testing.B) {
	fixtures, snapshots := 40, 8
	if os.Getenv("MKT_BENCH_LARGE") == "1" {
		fixtures, snapshots = 2000, 200
	}
	dir := os.Getenv("MKT_BENCH_ROOT")
	if dir == "" {
		dir = b.TempDir()
	}
	root := largeRoot(b, dir, fixtures, snapshots)
	defer root.Close()
	head, _, err := snapshot.Head(root)
	check.Must(b, err)
	var fixture table.FixtureRow
	for row, err := range snapshot.Rows[table.FixtureRow](root, head.Dir()+"/"+layout.FixturesFile) {
		check.Must(b, err)
		if row.MarketCount > fixture.MarketCount {
			fixture = *row
		}
	}
	var market table.MarketRow
	for row, err := range snapshot.FixtureRows[table.MarketRow](root, head.Dir()+"/"+layout.MarketsFile, fixture.FixtureID) {
		check.Must(b, err)
		if row.Market != nil && *row.Market == "MATCH_RESULT" || market.MarketID == "" {
			market = *row
		}
	}
	list, cycles, of := "/fixtures/acme", "/cycles/acme/market_engine", "/fixtures/acme/"+fixture.FixtureID
	for _, page := range []struct{ name, path string }{
		{"overview", "/"},
		{"fixtures", list}, {"search", list + "?q=" + strings.Fields(*fixture.Home)[0]}, {"fixture", of}, {"market", of + "/" + market.MarketID},
		{"explain-selection", "/explain/acme/market_engine/" + fixture.FixtureID + "/" + market.MarketID + "/" + market.Selections[0].SelectionID},
		{"explain-id-alone", "/explain/acme/market_engine/" + market.Selections[0].SelectionID},
		{"cycles", cycles}, {"cycle", cycles + "/latest"}, {"mapping", cycles + "/latest/mapping"}, {"answers", cycles + "/latest/answers"},
		{"answer", cycles + "/latest/answers/6"}, {"audit", "/audit/acme/market_engine"}, {"live", "/live"},
	} {
		b.Run(page.name+"/cold", func(b *testing.B) {
			used := processorTime()
			for b.Loop() {
				open(b, newConsole(b, dir), page.path)
			}
			b.ReportMetric(float64((processorTime()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
		b.Run(page.name+"/warm", func(b *testing.B) {
			c := newConsole(b, dir)
			open(b, c, page.path)
			used := processorTime()
			for b.Loop() {
				open(b, c, page.path)
			}
			b.ReportMetric(float64((processorTime()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime returns the processor time of the process, which does not depend on other work of
// the machine.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func newConsole(b *testing.B, dir string) http.Handler {
	o := console.Options{Now: func() time.Time { return dataroot.Began.Add(300 * time.Hour) }, Version: "test", Log: slog.New(slog.DiscardHandler)}
	o.Data, o.Tenants = dir, filepath.Join(dir, "tenants.yaml")
	run := func(ctx context.Context) doctor.Report {
		return doctor.Run(ctx, doctor.Options{Command: "mkt", Data: dir, Tenants: o.Tenants, Keyless: true, Products: []football.Product{football.MarketEngine}, Now: o.Now})
	}
	o.Doctor = run
	c, err := console.New(o)
	check.Must(b, err)
	return c
}

func open(b *testing.B, c http.Handler, path string) {
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	if w.Code != http.StatusOK {
		b.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
	}
}

// largeRoot makes the data of acme with a real cycle as the newest, and before it cycles that each
// refreshed a twentieth of its fixtures with other prices.
func largeRoot(b *testing.B, dir string, fixtures, snapshots int) *durable.Disk {
	b.Helper()
	product := filepath.Join(dir, filepath.FromSlash(layout.TenantProduct("acme", string(football.MarketEngine))))
	root, err := durable.OpenUnsynced(product)
	check.Must(b, err)
	data, err := durable.OpenUnsynced(dir)
	check.Must(b, err)
	defer data.Close()
	if _, found, err := snapshot.Head(root); err == nil && found {
		return root
	}
	check.Must(b, os.WriteFile(filepath.Join(dir, "tenants.yaml"), []byte(acmeAccount), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url, err := dataroot.Simulate(ctx, fixtures)
	check.Must(b, err)
	at := func(n int) time.Time { return dataroot.Began.Add(time.Duration(n) * time.Hour) }
	p := dataroot.Product{Name: football.MarketEngine, Root: root, Data: data, Key: dataroot.Key, Version: "test", Tenant: dataroot.Fetching(url)}
	newest := layout.NewCycleID(at(snapshots-1), string(football.MarketEngine))
	check.Must(b, p.Fetch(ctx, at(snapshots-1)))
	check.Must(b, p.Transform(ctx, at(snapshots-1)))
	m, _, err := snapshot.OpenCanonical(root, newest)
	check.Must(b, err)
	canonical := layout.Cycle(layout.CanonicalDir, newest) + "/"
	all, markets, listing := rows[table.FixtureRow](b, root, canonical+layout.FixturesFile), map[string][]table.MarketRow{}, rows[table.ListingRow](b, root, canonical+layout.ListingFile)
	for _, row := range rows[table.MarketRow](b, root, canonical+layout.MarketsFile) {
		markets[row.FixtureID] = append(markets[row.FixtureID], row)
	}
	publishCycle := func(n int) {
		_, err := publish.Run(ctx, publish.Options{ClientID: "acme", Product: football.MarketEngine, Cycle: layout.NewCycleID(at(n), string(football.MarketEngine)), Root: root,
			RunID: fmt.Sprint("run-", n), Version: "test", Now: func() time.Time { return at(n).Add(time.Minute) }})
		check.Must(b, err)
	}
	for n := range snapshots - 1 {
		id := layout.NewCycleID(at(n), string(football.MarketEngine))
		own, fetched := m, at(n).Add(10*time.Second)
		own.CycleID, own.Files, own.Tables, own.RawSHA256 = id, nil, map[string]snapshot.Table{}, ""
		own.ProviderFetchedAt, own.ProcessedAt = &fetched, &fetched
		var changed []table.FixtureRow
		var changedMarkets []table.MarketRow
		listed := slices.Clone(listing)
		refreshed := map[string]bool{}
		for i, row := range all {
			if n > 0 && i%20 != n%20 {
				continue
			}
			refreshed[row.FixtureID] = true
			row.ProviderFetchedAt = fetched
			of := slices.Clone(markets[row.FixtureID])
			for k := range of {
				of[k].Selections = slices.Clone(of[k].Selections)
				for j := range of[k].Selections {
					price := fmt.Sprintf("%d.%02d", 1+(j+n)%7, (k+3*n)%100)
					if s := &of[k].Selections[j]; s.OddsDecimalText != nil {
						number := float64(1+(j+n)%7) + float64((k+3*n)%100)/100
						s.OddsDecimalText, s.OddsDecimal = &price, &number
					}
				}
			}
			row.ContentDigest = content.Digest(row, of)
			changed, changedMarkets = append(changed, row), append(changedMarkets, of...)
		}
		for i := range listed {
			if listed[i].Markets == "REFRESHED" && !refreshed[listed[i].FixtureID] {
				listed[i].Markets = "FAILED"
			}
		}
		staged := layout.StagingDir + "/bench"
		check.Must(b, durable.MkdirAllSync(root, staged))
		writeTable(b, root, staged, layout.FixturesFile, "fixtures", &own, changed)
		writeTable(b, root, staged, layout.MarketsFile, "markets", &own, changedMarkets)
		writeTable(b, root, staged, layout.ListingFile, "listing", &own, listed)
		_, err := snapshot.CreateManifest(root, staged, own)
		check.Must(b, err)
		check.Must(b, durable.Install(root, staged, layout.Cycle(layout.CanonicalDir, id)))
		publishCycle(n)
	}
	publishCycle(snapshots - 1)
	return root
}

func rows[T table.Row](b *testing.B, root durable.ReadFS, name string) (list []T) {
	for row, err := range snapshot.Rows[T](root, name) {
		check.Must(b, err)
		list = append(list, *row)
	}
	return list
}

func writeTable[T table.Row](b *testing.B, root durable.FS, dir, name, key string, m *snapshot.Manifest, list []T) {
	file, err := snapshot.CreateFile(root, dir, name, func(out io.Writer) (err error) {
		t := table.NewWriter[T](out, table.Header{ClientID: m.ClientID, CycleID: string(m.CycleID)})
		if err := t.Write(list...); err != nil {
			return err
		}
		m.Tables[key], err = t.Close()
		return err
	})
	check.Must(b, err)
	m.Files = append(m.Files, file)
}
