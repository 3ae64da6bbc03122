// Package servetest builds the data roots of all tests of serve: small snapshots as real
// Parquet files, real manifests and real commit records on a real disk.
package servetest

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

var must = check.Must

// Start is the time of the first publication; each further one is an hour later.
var Start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// Dataset is one tenant's data of one product.
type Dataset struct {
	t        testing.TB
	DataDir  string // the data root
	Dir      string // the folder of the tenant and product
	ClientID string
	Product  football.Product
	FS       *durable.Disk
	Commit   snapshot.Commit // the newest one
	History  string
}

func openDataset(t testing.TB, dataDir, clientID string, product football.Product, history string) Dataset {
	t.Helper()
	d := Dataset{t: t, DataDir: dataDir, Dir: filepath.Join(dataDir, layout.TenantProduct(clientID, string(product))), ClientID: clientID, Product: product, History: history}
	var err error
	d.FS, err = durable.OpenRoot(d.Dir)
	must(t, err)
	t.Cleanup(func() { d.FS.Close() })
	for _, dir := range []string{layout.CommitsDir, layout.ChangesDir, layout.StepsDir, layout.SnapshotsDir, layout.StagingDir} {
		must(t, durable.MkdirAllSync(d.FS, dir))
	}
	return d
}

// Path returns the path of a file of the newest snapshot, or of its folder if name is empty.
func (d *Dataset) Path(name string) string { return filepath.Join(d.Dir, d.Commit.Dir(), name) }

// Record writes a step's state file.
func (d *Dataset) Record(run health.Run) {
	d.t.Helper()
	must(d.t, health.Record(d.FS, run))
}

// Damage flips a byte in the middle of a file of the newest snapshot.
func (d *Dataset) Damage(name string) {
	d.t.Helper()
	data, err := os.ReadFile(d.Path(name))
	must(d.t, err)
	data[len(data)/2] ^= 0x55
	must(d.t, os.WriteFile(d.Path(name), data, 0o644))
}

// begin creates the folder of the publication at a time, and returns the header of its
// tables.
func (d *Dataset) begin(at time.Time) (dir string, header table.Header) {
	d.t.Helper()
	cycle := layout.NewCycleID(at, string(d.Product))
	dir = layout.Cycle(layout.SnapshotsDir, cycle)
	must(d.t, durable.MkdirAllSync(d.FS, dir))
	return dir, table.Header{ClientID: d.ClientID, Product: string(d.Product), CycleID: string(cycle), Provider: "betsapi", DerivationVersion: "1"}
}

// seal writes the manifest and the commit of the publication at a time. m and c have what
// is particular to the product.
func (d *Dataset) seal(at, fetched, processed time.Time, m snapshot.Manifest, c snapshot.Commit) snapshot.Manifest {
	d.t.Helper()
	cycle := layout.NewCycleID(at, string(d.Product))
	m.Format, m.Kind, m.ClientID, m.Product, m.CycleID, m.Provider = snapshot.Format, snapshot.KindSnapshot, d.ClientID, d.Product, cycle, "betsapi"
	m.ProviderFetchedAt, m.ProcessedAt, m.PublishedAt, m.DerivationVersion, m.IDKeyFingerprint, m.BinaryVersion = &fetched, &processed, &at, "1", "k", "test"
	m.PreviousManifestSHA256, m.ListingComplete = d.Commit.ManifestSHA256, true
	var err error
	c.ManifestSHA256, err = snapshot.CreateManifest(d.FS, layout.Cycle(layout.SnapshotsDir, cycle), m)
	must(d.t, err)
	c.Format, c.Version, c.HistoryID, c.CycleID, c.PublishedAt, c.PreviousSHA256 = snapshot.Format, d.Commit.Version+1, d.History, cycle, at, d.Commit.SHA256
	c.RunID = fmt.Sprint("run-", c.Version)
	d.Commit, err = snapshot.Seal(d.FS, c, fmt.Sprintf("%s/%s-%d", layout.StagingDir, d.History, c.Version))
	must(d.t, err)
	return m
}

// Root is one tenant's data of the market engine.
type Root struct {
	Dataset
	Manifest snapshot.Manifest
	Late     time.Duration // added to the time of each publication
	Lead     time.Duration // by which this time is ahead of the times of the data, as after a clock was
}

// NewRoot opens the folder of a tenant below the data root.
func NewRoot(t testing.TB, dataDir, clientID string) *Root {
	t.Helper()
	return &Root{Dataset: openDataset(t, dataDir, clientID, football.MarketEngine, "history-"+clientID)}
}

// Content is the content of a publication. Fixtures need not be sorted.
type Content struct {
	Fixtures []Fixture
	Events   []table.EventRow // seq, time and cycle are set by Publish
	DropLog  int              // number of the oldest segments that are no longer retained
	Held     int64            // fixtures kept although the listing lacks them
	Steps    []table.StepRow  // sorted; their seq is relative to the first event, and Publish sets time and cycle
}

// Fixture is one fixture with its markets.
type Fixture struct {
	Row     table.FixtureRow
	Markets []table.MarketRow
}

// Publish publishes content and returns its commit.
func (r *Root) Publish(c Content) snapshot.Commit {
	r.t.Helper()
	sort.Slice(c.Fixtures, func(i, j int) bool { return c.Fixtures[i].Row.FixtureID < c.Fixtures[j].Row.FixtureID })
	return r.publish(c, func(yield func(*Fixture) bool) {
		for i := range c.Fixtures {
			if !yield(&c.Fixtures[i]) {
				return
			}
		}
	})
}

func (r *Root) publish(c Content, fixtures iter.Seq[*Fixture]) snapshot.Commit {
	r.t.Helper()
	at := Start.Add(time.Duration(r.Commit.Version)*time.Hour + r.Late)
	dir, header := r.begin(at)
	files := r.writeTables(dir, header, fixtures)
	changes := append([]snapshot.Segment{}, r.Manifest.Changes[min(c.DropLog, len(r.Manifest.Changes)):]...)
	commit := snapshot.Commit{LastSeq: r.Commit.LastSeq}
	if len(c.Events) > 0 {
		commit.Segment = r.writeEvents(commit.LastSeq+1, at, header, c.Events)
		changes = append(changes, *commit.Segment)
		commit.LastSeq = commit.Segment.Last
	}
	commit.FirstSeq = commit.LastSeq + 1
	if len(changes) > 0 {
		commit.FirstSeq = changes[0].First
	}
	steps := slices.Clone(r.Manifest.Steps)
	if len(c.Steps) > 0 {
		steps = append(steps, r.writeSteps(commit, at, header, c.Steps))
	}
	r.Manifest = r.seal(at, at.Add(-2*time.Minute-r.Lead), at.Add(-time.Minute-r.Lead),
		snapshot.Manifest{Files: files, Changes: changes, Steps: steps, Counters: map[string]int64{"fixtures_held": c.Held}}, commit)
	return r.Commit
}

// PublishNext publishes samples with an event for each. The number of the publication is
// their version.
func (r *Root) PublishNext(fixtures, markets int) snapshot.Commit {
	r.t.Helper()
	list := Samples(r.ClientID, fixtures, markets, int(r.Commit.Version)+1)
	return r.Publish(Content{Fixtures: list, Events: Updates(list)})
}

// PublishSamples publishes sample fixtures without events, and without keeping them in
// memory.
func (r *Root) PublishSamples(fixtures, markets int) {
	r.t.Helper()
	order := make([]int, fixtures)
	for n := range order {
		order[n] = n
	}
	sort.Slice(order, func(i, j int) bool { return FixtureID(r.ClientID, order[i]) < FixtureID(r.ClientID, order[j]) })
	r.publish(Content{}, func(yield func(*Fixture) bool) {
		for _, n := range order {
			f := Sample(r.ClientID, n, markets, 1)
			if !yield(&f) {
				return
			}
		}
	})
}

func (r *Root) writeTables(dir string, header table.Header, fixtures iter.Seq[*Fixture]) []snapshot.File {
	r.t.Helper()
	var markets snapshot.File
	rows, err := snapshot.CreateFile(r.FS, dir, layout.FixturesFile, func(out io.Writer) (err error) {
		w := table.NewWriter[table.FixtureRow](out, header)
		markets, err = snapshot.CreateFile(r.FS, dir, layout.MarketsFile, func(out io.Writer) error {
			m := table.NewWriter[table.MarketRow](out, header)
			for f := range fixtures {
				f.Row.MarketCount, f.Row.ContentDigest = int32(len(f.Markets)), DigestOf(f)
				sort.Slice(f.Markets, func(i, j int) bool { return f.Markets[i].MarketID < f.Markets[j].MarketID })
				if err := errors.Join(w.Write(f.Row), m.Write(f.Markets...)); err != nil {
					return err
				}
			}
			_, err := m.Close()
			return err
		})
		if err != nil {
			return err
		}
		_, err = w.Close()
		return err
	})
	must(r.t, err)
	return []snapshot.File{rows, markets}
}

func (r *Root) writeSteps(c snapshot.Commit, at time.Time, header table.Header, steps []table.StepRow) snapshot.Segment {
	r.t.Helper()
	name := layout.Segment(layout.StepsDir, c.Segment.First, c.Segment.Last, layout.CycleID(header.CycleID))
	must(r.t, durable.Create(r.FS, name, func(out io.Writer) error {
		w := table.NewWriter[table.StepRow](out, header)
		for _, row := range steps {
			row.Seq, row.PublishedAt, row.CycleID = row.Seq+int64(c.Segment.First), at, header.CycleID
			if err := w.Write(row); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	}))
	size, sum, err := durable.HashFile(r.FS, name)
	must(r.t, err)
	return snapshot.Segment{File: name, First: c.Segment.First, Last: c.Segment.Last, At: at, Bytes: size, SHA256: sum}
}

func (r *Root) writeEvents(first uint64, at time.Time, header table.Header, events []table.EventRow) *snapshot.Segment {
	r.t.Helper()
	last := first + uint64(len(events)) - 1
	name := layout.Segment(layout.ChangesDir, first, last, layout.CycleID(header.CycleID))
	must(r.t, durable.Create(r.FS, name, func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](out, header)
		for i, e := range events {
			e.Seq, e.PublishedAt, e.CycleID = int64(first)+int64(i), at, header.CycleID
			if err := w.Write(e); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	}))
	size, sum, err := durable.HashFile(r.FS, name)
	must(r.t, err)
	return &snapshot.Segment{File: name, First: first, Last: last, At: at, Bytes: size, SHA256: sum}
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ID returns an id with the prefix, which is always the same for the same parts.
func ID(prefix string, parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return prefix + letters.EncodeToString(sum[:])[:26]
}

// FixtureID returns the id of the n-th sample fixture of a client.
func FixtureID(clientID string, n int) string { return ID("fx_", clientID, "/", n) }

func ptr[T any](v T) *T { return &v }

var leagues = []string{"Premier League", "Serie A", "Bundesliga", "LA LIGA", "Ligue 1", "Süper Lig", "100% Cup_A", `O'Neill "Shield" \ B`, "K League 1", "Straße-Liga"}

var names = []string{"MATCH_RESULT", "TOTAL_GOALS", "BOTH_TEAMS_TO_SCORE", "ASIAN_HANDICAP", "CORRECT_SCORE", "DOUBLE_CHANCE"}

// Sample returns the n-th fixture of a client. version is part of every text, so that a
// mixture of two versions is noticed.
func Sample(clientID string, n, markets, version int) Fixture {
	id := FixtureID(clientID, n)
	f := Fixture{Row: table.FixtureRow{
		FixtureID: id, Home: ptr(fmt.Sprintf("Home %d v%d", n, version)), Away: ptr(fmt.Sprintf("Away %d v%d", n, version)),
		League: ptr(leagues[n%len(leagues)]), StartsAt: ptr(Start.Add(time.Duration(n) * time.Hour)),
		SourceProvider: "betsapi", ProviderFixtureID: fmt.Sprint(1_000_000 + n), ProviderFetchedAt: Start.Add(-time.Duration(n%60) * time.Second),
	}}
	if n%7 == 3 {
		f.Row.Away, f.Row.League, f.Row.StartsAt, f.Row.Absent = nil, nil, nil, []string{"away", "starts_at"}
	}
	for k := range markets {
		f.Markets = append(f.Markets, sampleMarket(id, n, k, version))
	}
	return f
}

func sampleMarket(fixture string, n, k, version int) table.MarketRow {
	m := table.MarketRow{
		FixtureID: fixture, MarketID: ID("mk_", fixture, "/", k), Ordinal: int32(k), MarketName: ptr(fmt.Sprintf("Market %d v%d", k, version)),
		Sections: []string{"main"}, Lines: []string{"2.5"}, OriginType: string(football.Mapped), DerivationVersion: "1", ProviderMarketKey: fmt.Sprint("key_", k),
		Market: ptr(names[k%len(names)]), Period: ptr([]string{"1H", "FT"}[k/len(names)%2]), Rule: ptr("rule"), ProviderMarketIDs: []string{fmt.Sprint(k)},
	}
	if k%9 == 8 {
		m.OriginType, m.Market, m.Period, m.Rule, m.RawReason = string(football.Raw), nil, nil, nil, ptr(string(football.UnknownMarket))
	}
	if k%20 == 19 { // a duplicate definition: the same id with a suffix
		m.MarketID = ID("mk_", fixture, "/", k-1) + "~" + strings.Repeat("a", 8)
	}
	for s := range 2 + k%5 {
		m.Selections = append(m.Selections, table.SelectionRow{
			SelectionID: ID("sl_", fixture, k, s), Selection: ptr([]string{"OVER", "UNDER", "HOME", "AWAY", "DRAW", "YES"}[s]), Line: ptr("2.5"),
			OddsDecimalText: ptr(fmt.Sprintf("%d.%02d", 1+s, (n+k)%100)), OddsDecimal: ptr(float64(1+s) + float64((n+k)%100)/100), Dimension: ptr("GOALS"),
			QualityStatus: string(football.StatusOK), Publishable: true, ProviderSelectionID: ptr(fmt.Sprint(n*1000 + k*10 + s)), Absent: []string{"odds_fractional"},
			Labels: []table.LabelRow{{Field: "name", Text: "Over"}, {Field: "NA", Text: fmt.Sprint("label ", s)}},
		})
	}
	m.SelectionCount = int32(len(m.Selections))
	return m
}

// Samples returns the fixtures 0 to n-1.
func Samples(clientID string, n, markets, version int) []Fixture {
	list := make([]Fixture, n)
	for i := range list {
		list[i] = Sample(clientID, i, markets, version)
	}
	return list
}

// Updates returns an update event for each fixture.
func Updates(fixtures []Fixture) []table.EventRow {
	list := make([]table.EventRow, len(fixtures))
	for i, f := range fixtures {
		list[i] = table.EventRow{Type: "fixture_markets_updated", FixtureID: f.Row.FixtureID, ProviderFixtureID: f.Row.ProviderFixtureID, ContentDigest: ptr(DigestOf(&f))}
	}
	return list
}

// At makes publication n the newest one for the next Publish, as in a restored backup.
func (r *Root) At(n uint64) *Root {
	r.t.Helper()
	var err error
	r.Commit, err = snapshot.ReadCommit(r.FS, n)
	must(r.t, err)
	r.Manifest, err = snapshot.Open(r.FS, r.Commit)
	must(r.t, err)
	r.History = r.Commit.HistoryID
	return r
}

// DigestOf returns a substitute for a fixture's content digest.
func DigestOf(f *Fixture) string {
	sum := sha256.Sum256([]byte(f.Row.FixtureID))
	return hex.EncodeToString(sum[:])
}
