package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/store"
	_ "mkt/publish/store/s3store"
	"mkt/publish/table"
)

const account = "acme"

var start = time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)

// cycle is a canonical cycle of either product. Every row names its number, so that a mixed
// dataset is visible. Fixtures that are neither refreshed nor kept are removed; live
// fixtures are all refreshed.
type cycle struct {
	product         football.Product
	number          int
	refreshed, kept []int
}

func (c cycle) at() time.Time { return start.Add(time.Duration(c.number) * time.Minute) }

func (c cycle) id() layout.CycleID { return layout.NewCycleID(c.at(), string(c.product)) }

// fixtureID is a valid id, so that the API serves it.
func fixtureID(n int) string {
	return "fx_" + strings.Repeat("a", 22) + strings.Map(func(r rune) rune { return r - '0' + 'b' }, fmt.Sprintf("%04d", n))
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// transform writes the cycle into a root.
func (c cycle) transform(f durable.FS) error {
	dir := layout.StagingDir + "/transform"
	if err := errors.Join(f.RemoveAll(dir), durable.MkdirAllSync(f, dir), durable.MkdirAllSync(f, layout.CanonicalDir)); err != nil {
		return err
	}
	fetched, processed := c.at(), c.at().Add(time.Second)
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: account, Product: c.product, CycleID: c.id(), Provider: "betsapi",
		ProviderFetchedAt: &fetched, ProcessedAt: &processed, DerivationVersion: "1", IDKeyFingerprint: "key",
		BinaryVersion: "test", ListingComplete: true, Counters: map[string]int64{}, Tables: map[string]snapshot.Table{},
	}
	w := &tables{f: f, dir: dir, m: &m}
	if c.product == football.LiveIntelligence {
		c.live(w)
	} else {
		c.markets(w)
	}
	if w.err != nil {
		return w.err
	}
	if _, err := snapshot.CreateManifest(f, dir, m); err != nil {
		return err
	}
	return durable.Install(f, dir, layout.Cycle(layout.CanonicalDir, c.id()))
}

func (c cycle) fixture(n int) football.Fixture {
	return football.Fixture{
		ID: football.FixtureID(fixtureID(n)), Home: football.Of(fmt.Sprint("cycle ", c.number)), StartsAt: football.Of(start.Add(1000 * time.Hour)),
		Provider: "betsapi", ProviderFixtureID: fmt.Sprint(n), FetchedAt: c.at(),
	}
}

func (c cycle) markets(w *tables) {
	var fixtures []table.FixtureRow
	var markets []table.MarketRow
	var listing []table.ListingRow
	for n := range 100 {
		row := table.ListingRow{FixtureID: fixtureID(n), ProviderFixtureID: fmt.Sprint(n), Status: "LISTED"}
		switch {
		case slices.Contains(c.refreshed, n):
			row.Markets = "REFRESHED"
			market := football.Market{ID: "mk_1", Canonical: "TOTAL_GOALS", Name: football.Of(fmt.Sprint("cycle ", c.number)), Origin: football.Mapped, Selections: []football.Selection{
				{ID: "sl_1", Line: "2.5", Odds: football.NewOdds(football.Field[string]{}, football.Of("1.5")), Quality: football.Quality{Status: football.StatusOK, Publishable: true}}}}
			rows := []table.MarketRow{table.MarketOf(football.FixtureID(fixtureID(n)), "1", &market)}
			f := table.FixtureOf(c.fixture(n), 1, "")
			f.ContentDigest = table.Digest(f, rows)
			fixtures, markets = append(fixtures, f), append(markets, rows...)
		case slices.Contains(c.kept, n):
			row.Markets = "FAILED"
		default:
			continue
		}
		listing = append(listing, row)
	}
	write(w, layout.FixturesFile, "fixtures", fixtures)
	write(w, layout.MarketsFile, "markets", markets)
	write(w, layout.ListingFile, "listing", listing)
}

func (c cycle) live(w *tables) {
	var fixtures []table.LiveRow
	var counters []table.LiveCounterRow
	var states []table.LiveStateRow
	for _, n := range c.refreshed {
		l := football.Live{Fixture: c.fixture(n), InPlay: true, At: c.at()}
		fixtures = append(fixtures, table.LiveOf(&l, c.at(), 1))
		counters = append(counters, table.LiveCounterRow{FixtureID: fixtureID(n), Metric: "attacks", State: "MISSING"})
		states = append(states, table.LiveStateRow{FixtureID: fixtureID(n), State: []byte{1}})
	}
	write(w, layout.LiveFile, "live", fixtures)
	write(w, layout.LiveCountersFile, "live_counters", counters)
	write(w, layout.LiveTimelineFile, "live_timeline", []table.LiveTimelineRow{})
	write(w, layout.LiveBucketsFile, "live_buckets", []table.LiveBucketRow{})
	write(w, layout.LivePeriodsFile, "live_periods", []table.LivePeriodRow{})
	write(w, layout.LiveStatesFile, "live_states", states)
	w.m.Counters["in_play"] = int64(len(c.refreshed))
}

type tables struct {
	f   durable.FS
	dir string
	m   *snapshot.Manifest
	err error
}

func write[T table.Row](t *tables, name, key string, rows []T) {
	file, err := snapshot.CreateFile(t.f, t.dir, name, func(out io.Writer) (err error) {
		w := table.NewWriter[T](out, table.Header{ClientID: t.m.ClientID, CycleID: string(t.m.CycleID)})
		if err := w.Write(rows...); err != nil {
			return err
		}
		t.m.Tables[key], err = w.Close()
		return err
	})
	t.err = errors.Join(t.err, err)
	t.m.Files = append(t.m.Files, file)
}

// worker is one process with one disk.
type worker struct {
	t    testing.TB
	name string
	f    durable.FS
	d    *store.Dataset
}

// newWorker returns a process with an empty disk that works with a store.
func newWorker(t testing.TB, name, url string, p football.Product) *worker {
	return &worker{t, name, durabletest.NewMem(), openStore(t, url).Dataset(account, p)}
}

func openStore(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{URL: url})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// options of a run that publishes a cycle.
func (w *worker) options(c cycle) publish.Options {
	return publish.Options{
		ClientID: account, Product: c.product, Cycle: c.id(), Root: w.f, RunID: fmt.Sprint(w.name, "-", c.number), Version: "test", Store: w.d,
		Now: func() time.Time { return c.at().Add(5 * time.Second) },
	}
}

// work runs a cycle: the copy of what the store has, transform, and publish.
func (w *worker) work(ctx context.Context, c cycle) error {
	if _, err := w.d.Sync(ctx, w.f); err != nil {
		return err
	}
	if err := c.transform(w.f); err != nil {
		return err
	}
	if _, err := publish.Run(ctx, w.options(c)); err != nil {
		return err
	}
	return w.d.ShipStates(ctx, w.f, w.f)
}

// view is the newest publication of a root as a reader sees it, with the change log.
type view struct {
	commit   snapshot.Commit
	fixtures map[string]int
	events   []table.EventRow
}

// look reads the newest publication of a root, all of it. Version 0 means that there is none.
func look(f durable.FS) (v view, err error) {
	c, found, err := snapshot.Head(f)
	if err != nil || !found {
		return v, err
	}
	v.commit, v.fixtures = c, map[string]int{}
	m, err := snapshot.Open(f, c)
	if err != nil {
		return v, err
	}
	if err := snapshot.Verify(f, c.Dir(), m); err != nil {
		return v, err
	}
	if c.CycleID[len(c.CycleID)-len("live_intelligence"):] == "live_intelligence" {
		for row, err := range snapshot.Rows[table.LiveRow](f, c.Dir()+"/"+layout.LiveFile) {
			if err != nil {
				return v, err
			}
			v.fixtures[row.FixtureID] = number(row.Home)
		}
	} else {
		for row, err := range snapshot.Rows[table.FixtureRow](f, c.Dir()+"/"+layout.FixturesFile) {
			if err != nil {
				return v, err
			}
			v.fixtures[row.FixtureID] = number(row.Home)
		}
		for row, err := range snapshot.Rows[table.MarketRow](f, c.Dir()+"/"+layout.MarketsFile) {
			if err != nil {
				return v, err
			}
			if number(row.MarketName) != v.fixtures[row.FixtureID] {
				return v, fmt.Errorf("%s has rows of two cycles", row.FixtureID)
			}
		}
	}
	for _, s := range m.Changes {
		if err := snapshot.VerifySegment(f, s); err != nil {
			return v, err
		}
	}
	for row, err := range snapshot.Events(f, m, 0) {
		if err != nil {
			return v, err
		}
		v.events = append(v.events, *row)
	}
	if m.PublishedAt.Before(*m.ProcessedAt) || m.ProcessedAt.Before(*m.ProviderFetchedAt) {
		return v, errors.New("times out of order")
	}
	return v, nil
}

func number(name *string) (n int) {
	fmt.Sscanf(*name, "cycle %d", &n)
	return n
}

// follows checks the chain of all publications of a root: versions, hashes, times, cycles
// and numbers of events.
func follows(f durable.ReadFS, head snapshot.Commit) error {
	for c := head; c.Version > 1; {
		before, err := snapshot.ReadCommit(f, c.Version-1)
		if err != nil {
			return err
		}
		if before.SHA256 != c.PreviousSHA256 || before.HistoryID != c.HistoryID || !before.PublishedAt.Before(c.PublishedAt) || before.CycleID >= c.CycleID || before.LastSeq > c.LastSeq {
			return fmt.Errorf("publication %d does not follow %d", c.Version, before.Version)
		}
		c = before
	}
	return nil
}

// must ends the test if there is an error.
var must = check.Must

var gateway *servers.Store

// The tests share a store. Each has its own prefix and its own proxy.
func TestMain(m *testing.M) {
	flag.Parse()
	code := func() int {
		dir, err := os.MkdirTemp("", "mkt-storetest-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if gateway, err = servers.StartStore(dir); err != nil {
			panic(err)
		}
		defer gateway.Stop()
		for _, variable := range gateway.Env() {
			name, value, _ := strings.Cut(variable, "=")
			os.Setenv(name, value)
		}
		return m.Run()
	}()
	os.Exit(code)
}

// startProxy starts a proxy in front of the store.
func startProxy(t testing.TB) *servers.Proxy {
	t.Helper()
	p, err := servers.StartProxy(gateway.Address)
	must(t, err)
	t.Cleanup(p.Stop)
	return p
}
