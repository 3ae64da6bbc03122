package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/testing/changelog"
	"mkt/internal/testing/check"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
)

// start is long ago, since the disk dates files by the real clock.
var start = time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)

const marketsEach = 3

// cycle is a canonical cycle of a test. Every value in it has its number, so that a mixed
// answer is visible.
type cycle struct {
	number    int
	refreshed []int // fixtures with new markets
	failed    []int // listed, but their markets could not be retrieved
	over      []int // listed as over
	bare      []int // listed without markets on offer
	edition   int   // of the listing: the version of the bare ones; 0 is 1
	partly    bool  // the listing is incomplete
	provider  string
	bookmaker string
	setBack   time.Duration     // how far the clock was set back before the cycle; its id follows the one before all the same
	kickedOff bool              // the refreshed kick off before the next cycle
	moved     map[int]time.Time // kick-offs by the list, of fixtures that it has without their markets
	// content makes a refreshed fixture; nil is fixture.
	content func(n int) (table.FixtureRow, []table.MarketRow)
}

func (c cycle) at() time.Time { return start.Add(time.Duration(c.number) * time.Hour) }

func (c cycle) id() layout.CycleID { return layout.NewCycleID(c.at(), "market_engine") }

// clock is the time that the clock shows at the beginning of the cycle.
func (c cycle) clock() time.Time { return c.at().Add(-c.setBack) }

func fixtureID(n int) string { return fmt.Sprintf("fx_%04d", n) }

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func (c cycle) fixture(n int) (table.FixtureRow, []table.MarketRow) {
	kickOff := start.Add(1000 * time.Hour)
	if c.kickedOff {
		kickOff = c.at()
	}
	f := football.Fixture{
		ID: football.FixtureID(fixtureID(n)), Home: football.Of(fmt.Sprint("cycle ", c.number)), Away: football.NullField[string](),
		StartsAt: football.Of(kickOff), Provider: c.provider, ProviderFixtureID: fmt.Sprint(n), FetchedAt: c.clock().Add(time.Minute),
	}
	var rows []table.MarketRow
	for m := range marketsEach {
		market := football.Market{
			ID: football.MarketID(fmt.Sprintf("mk_%d", m)), Canonical: "TOTAL_GOALS", Name: football.Of(fmt.Sprint("cycle ", c.number)), Origin: football.Mapped, Ordinal: m,
			Selections: []football.Selection{{ID: "sl_1", Line: "2.5", Odds: football.NewOdds(football.Field[string]{}, football.Of(fmt.Sprintf("1.%02d", c.number))), Quality: football.Quality{Status: football.StatusOK, Publishable: true}}},
		}
		rows = append(rows, canonical.Market(f.ID, "1", &market))
	}
	row := canonical.Fixture(f, len(rows), "")
	row.ContentDigest = content.Digest(row, rows)
	return row, rows
}

// bareFixture is fixture n as listed.
func (c cycle) bareFixture(n int) table.FixtureRow {
	row := canonical.Fixture(football.Fixture{
		ID: football.FixtureID(fixtureID(n)), Home: football.Of(fmt.Sprint("cycle ", max(1, c.edition))), StartsAt: football.Of(start.Add(1000 * time.Hour)),
		Provider: c.provider, ProviderFixtureID: fmt.Sprint(n), FetchedAt: c.clock().Add(time.Second),
	}, 0, "")
	row.ContentDigest = content.Digest(row, nil)
	return row
}

func drawCycle(t *rapid.T, number int) cycle {
	c := cycle{number: number, partly: rapid.Bool().Draw(t, "partly"), edition: rapid.IntRange(1, 2).Draw(t, "edition")}
	c.drawFixtures(func() int { return rapid.IntRange(0, 6).Draw(t, "fate") })
	return c
}

// drawFixtures decides by draws from 0 to 6 what happens to each of twelve fixtures.
func (c *cycle) drawFixtures(draw func() int) {
	for n := range 12 {
		switch draw() {
		case 0, 1:
			c.refreshed = append(c.refreshed, n)
		case 2:
			c.failed = append(c.failed, n)
		case 3:
			c.over = append(c.over, n)
		case 4, 5:
			c.bare = append(c.bare, n)
		}
	}
}

// model computes the dataset in a few lines. With 12 fixtures no listing is held.
func (c cycle) model(all map[int]int) {
	for n := range all {
		if slices.Contains(c.over, n) || !c.partly && !slices.Contains(slices.Concat(c.failed, c.refreshed, c.bare), n) {
			delete(all, n)
		}
	}
	for _, n := range c.refreshed {
		all[n] = c.number
	}
	for _, n := range c.bare {
		if all[n] <= 0 {
			all[n] = -c.edition
		}
	}
}

func (c *cycle) transform(t testing.TB, f durable.FS) {
	t.Helper()
	if c.provider == "" {
		c.provider = "betsapi"
	}
	final := layout.Cycle(layout.CanonicalDir, c.id())
	dir := layout.StagingDir + "/transform"
	must(t, durable.MkdirAllSync(f, dir))
	must(t, durable.MkdirAllSync(f, layout.CanonicalDir))
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.MarketEngine, CycleID: c.id(), Provider: c.provider, Bookmaker: c.bookmaker,
		ProviderFetchedAt: ptr(c.clock().Add(time.Minute)), ProcessedAt: ptr(c.clock().Add(2 * time.Minute)), DerivationVersion: "1", IDKeyFingerprint: "key",
		BinaryVersion: "test", ListingComplete: !c.partly, Counters: map[string]int64{"payloads": 1}, Tables: map[string]snapshot.Table{},
	}
	var fixtures []table.FixtureRow
	var markets []table.MarketRow
	listing := map[int]table.ListingRow{}
	content := c.content
	if content == nil {
		content = c.fixture
	}
	for _, n := range slices.Sorted(slices.Values(c.refreshed)) {
		row, rows := content(n)
		fixtures, markets = append(fixtures, row), append(markets, rows...)
		listing[n] = table.ListingRow{FixtureID: fixtureID(n), ProviderFixtureID: fmt.Sprint(n), Status: "LISTED", Markets: "REFRESHED"}
	}
	for _, n := range c.bare {
		fixtures = append(fixtures, c.bareFixture(n))
		listing[n] = table.ListingRow{FixtureID: fixtureID(n), ProviderFixtureID: fmt.Sprint(n), Status: "LISTED", Markets: "NONE"}
	}
	slices.SortFunc(fixtures, func(a, b table.FixtureRow) int { return strings.Compare(a.FixtureID, b.FixtureID) })
	for _, n := range c.failed {
		listing[n] = table.ListingRow{FixtureID: fixtureID(n), ProviderFixtureID: fmt.Sprint(n), Status: "LISTED", Markets: "FAILED"}
	}
	for _, n := range c.over {
		listing[n] = table.ListingRow{FixtureID: fixtureID(n), ProviderFixtureID: fmt.Sprint(n), Status: "OVER", Markets: "NONE"}
	}
	for n, at := range c.moved {
		if row, is := listing[n]; is && row.Status == "LISTED" && row.Markets != "REFRESHED" {
			row.StartsAt = &at
			listing[n] = row
		}
	}
	var listed []table.ListingRow
	for _, n := range slices.Sorted(maps.Keys(listing)) {
		listed = append(listed, listing[n])
	}
	writeTable(t, f, dir, layout.FixturesFile, "fixtures", &m, fixtures)
	writeTable(t, f, dir, layout.MarketsFile, "markets", &m, markets)
	writeTable(t, f, dir, layout.ListingFile, "listing", &m, listed)
	_, err := snapshot.CreateManifest(f, dir, m)
	must(t, err)
	must(t, durable.Install(f, dir, final))
}

func writeTable[T table.Row](t testing.TB, f durable.FS, dir, name, key string, m *snapshot.Manifest, rows []T) {
	t.Helper()
	file, err := snapshot.CreateFile(f, dir, name, func(out io.Writer) (err error) {
		w := table.NewWriter[T](out, table.Header{ClientID: m.ClientID, CycleID: string(m.CycleID)})
		if err := w.Write(rows...); err != nil {
			return err
		}
		m.Tables[key], err = w.Close()
		return err
	})
	must(t, err)
	m.Files = append(m.Files, file)
}

func ptr[V any](v V) *V { return &v }

// must ends the test if there is an error.
var must = check.Must

// options of a run, some time after its cycle began.
func options(f durable.FS, c cycle, run string) publish.Options {
	return publish.Options{
		ClientID: "acme", Product: football.MarketEngine, Cycle: c.id(), Root: f, RunID: run, Version: "test",
		Now: func() time.Time { return c.at().Add(10 * time.Minute) },
	}
}

func publishCycle(t testing.TB, f durable.FS, c cycle, edits ...func(*publish.Options)) publish.Summary {
	t.Helper()
	c.transform(t, f)
	o := options(f, c, fmt.Sprint("run-", c.number))
	for _, edit := range edits {
		edit(&o)
	}
	s, err := publish.Run(context.Background(), o)
	must(t, err)
	return s
}

// keeping publishes under a policy.
func keeping(p retention.Policy) func(*publish.Options) {
	return func(o *publish.Options) { o.Retention = p }
}

// newest opens the newest publication.
func newest(t testing.TB, f durable.ReadFS) (snapshot.Commit, snapshot.Manifest) {
	t.Helper()
	head, _, err := snapshot.Head(f)
	must(t, err)
	m, err := snapshot.Open(f, head)
	must(t, err)
	return head, m
}

// dataset is everything that a reader finds. It has for each fixture the cycle that its
// rows name, and for one without markets the edition of the listing as a negative number.
type dataset struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	fixtures map[int]int
	fetched  map[int]time.Time
	events   []table.EventRow
}

// look reads everything and checks what must always hold. The version of an empty root is
// 0.
func look(f durable.FS) (dataset, error) {
	d := dataset{fixtures: map[int]int{}, fetched: map[int]time.Time{}}
	c, found, err := snapshot.Head(f)
	if err != nil || !found {
		return d, err
	}
	d.commit = c
	if d.manifest, err = snapshot.Open(f, c); err != nil {
		return d, err
	}
	if err := snapshot.Verify(f, c.Dir(), d.manifest); err != nil {
		return d, err
	}
	if err := d.readRows(f); err != nil {
		return d, err
	}
	for _, s := range d.manifest.Changes {
		if err := snapshot.VerifySegment(f, s); err != nil {
			return d, err
		}
	}
	for row, err := range new(changelog.Log).Events(f, c, d.manifest, 0) {
		if err != nil {
			return d, err
		}
		d.events = append(d.events, row)
	}
	return d, d.check(f)
}

func (d *dataset) readRows(f durable.FS) error {
	err := eachRow(f, d.commit.Dir()+"/"+layout.FixturesFile, func(row *table.FixtureRow) error {
		var n, seen int
		fmt.Sscanf(row.FixtureID, "fx_%d", &n)
		fmt.Sscanf(*row.Home, "cycle %d", &seen)
		if d.fixtures[n], d.fetched[n] = seen, row.ProviderFetchedAt; row.MarketCount == 0 {
			d.fixtures[n] = -seen
		}
		return nil
	})
	if err != nil {
		return err
	}
	markets := map[int]int{}
	err = eachRow(f, d.commit.Dir()+"/"+layout.MarketsFile, func(row *table.MarketRow) error {
		var n int
		fmt.Sscanf(row.FixtureID, "fx_%d", &n)
		markets[n]++
		name, odds := fmt.Sprint("cycle ", d.fixtures[n]), fmt.Sprintf("1.%02d", d.fixtures[n])
		if *row.MarketName != name || *row.Selections[0].OddsDecimalText != odds {
			return fmt.Errorf("fixture %d: rows of two cycles: %s, %s in %s", n, *row.MarketName, *row.Selections[0].OddsDecimalText, name)
		}
		return nil
	})
	for n, seen := range d.fixtures {
		if seen > 0 && markets[n] != marketsEach || seen < 0 && markets[n] != 0 {
			return fmt.Errorf("fixture %d has %d markets", n, markets[n])
		}
	}
	return err
}

func eachRow[T table.Row](f durable.FS, name string, do func(*T) error) error {
	for row, err := range snapshot.Rows[T](f, name) {
		if err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

// check checks the chain of commits and the order of times.
func (d *dataset) check(f durable.FS) error {
	m := d.manifest
	if m.PublishedAt.Before(*m.ProcessedAt) || m.ProcessedAt.Before(*m.ProviderFetchedAt) {
		return errors.New("times out of order")
	}
	first, err := snapshot.First(f)
	if err != nil {
		return err
	}
	for c := d.commit; c.Version > first; {
		before, err := snapshot.ReadCommit(f, c.Version-1)
		if err != nil {
			return err
		}
		sameHistory := before.HistoryID == c.HistoryID
		if before.SHA256 != c.PreviousSHA256 || sameHistory && c.Republishes > 0 || !before.PublishedAt.Before(c.PublishedAt) || before.CycleID >= c.CycleID || before.LastSeq > c.LastSeq {
			return fmt.Errorf("commit %d does not follow %d", c.Version, before.Version)
		}
		c = before
	}
	return nil
}

func exists(t testing.TB, f durable.FS, name string) bool {
	t.Helper()
	_, err := f.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
