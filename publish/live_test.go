package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
)

// liveTick is a canonical cycle of live intelligence: number counts ticks of 8 seconds
// from the start, and is in every row.
type liveTick struct{ number, fixtures int }

func (k liveTick) at() time.Time { return start.Add(time.Duration(8*k.number) * time.Second) }

func (k liveTick) id() layout.CycleID { return layout.NewCycleID(k.at(), "live_intelligence") }

func (k liveTick) transform(t testing.TB, f durable.FS) {
	t.Helper()
	k.transformAs(t, f, false)
}

// transformAs makes the cycle, perhaps as a build before fixtures_root.
func (k liveTick) transformAs(t testing.TB, f durable.FS, older bool) {
	t.Helper()
	dir := layout.StagingDir + "/transform"
	must(t, durable.MkdirAllSync(f, dir))
	must(t, durable.MkdirAllSync(f, layout.CanonicalDir))
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.LiveIntelligence, CycleID: k.id(), Provider: "betsapi",
		ProviderFetchedAt: ptr(k.at()), ProcessedAt: ptr(k.at().Add(time.Second)), DerivationVersion: "live-1", IDKeyFingerprint: "key",
		BinaryVersion: "test", ListingComplete: true, Counters: map[string]int64{"in_play": int64(k.fixtures)}, Tables: map[string]snapshot.Table{},
	}
	var fixtures []table.LiveRow
	var counters []table.LiveCounterRow
	var timeline []table.LiveTimelineRow
	var buckets []table.LiveBucketRow
	var periods []table.LivePeriodRow
	var states []table.LiveStateRow
	for n := range k.fixtures {
		l := football.Live{Fixture: football.Fixture{ID: football.FixtureID(fixtureID(n)), Home: football.Of(fmt.Sprint("tick ", k.number)), Provider: "betsapi", FetchedAt: k.at()},
			InPlay: true, At: k.at(), Timeline: []football.TimelineEntry{{At: k.at(), Until: k.at(), State: football.VisualCalm}},
			Series:  football.Series{Buckets: []football.Bucket{{Minute: 1, Home: k.number, State: football.BucketValue}}},
			Periods: []football.PeriodSum{{Half: 1, Home: k.number, State: football.BucketValue}}}
		fixtures = append(fixtures, canonical.Live(&l, k.at(), 1))
		timeline, buckets, periods = canonical.LiveTimeline(timeline, &l), canonical.LiveBuckets(buckets, &l), canonical.LivePeriods(periods, &l)
		counters = append(counters, table.LiveCounterRow{FixtureID: fixtureID(n), Metric: "attacks", State: "MISSING"})
		states = append(states, table.LiveStateRow{FixtureID: fixtureID(n), State: []byte{1}})
	}
	writeTable(t, f, dir, layout.LiveFile, "live", &m, fixtures)
	writeTable(t, f, dir, layout.LiveCountersFile, "live_counters", &m, counters)
	writeTable(t, f, dir, layout.LiveTimelineFile, "live_timeline", &m, timeline)
	writeTable(t, f, dir, layout.LiveBucketsFile, "live_buckets", &m, buckets)
	writeTable(t, f, dir, layout.LivePeriodsFile, "live_periods", &m, periods)
	writeTable(t, f, dir, layout.LiveStatesFile, "live_states", &m, states)
	if !older {
		var entries []snapshot.FixtureEntry
		for rows, err := range snapshot.LiveRows(f, dir) {
			must(t, err)
			entry, _ := snapshot.LiveEntryOf(rows, nil)
			entries = append(entries, entry)
		}
		m.FixturesRoot = snapshot.FixturesRoot(entries)
	}
	_, err := snapshot.CreateManifest(f, dir, m)
	must(t, err)
	must(t, durable.Install(f, dir, layout.Cycle(layout.CanonicalDir, k.id())))
}

func (k liveTick) options(f durable.FS) publish.Options {
	return publish.Options{
		ClientID: "acme", Product: football.LiveIntelligence, Cycle: k.id(), Root: f, RunID: fmt.Sprint("run-", k.number), Version: "test",
		Now: func() time.Time { return k.at().Add(2 * time.Second) },
		Check: func(context.Context, layout.CycleID, string) error {
			return errors.New("a tick has no time for a child")
		},
	}
}

func publishTicks(t testing.TB, f durable.FS, keep retention.Policy, ticks ...liveTick) (last publish.Summary) {
	t.Helper()
	for _, k := range ticks {
		k.transform(t, f)
		o := k.options(f)
		o.Retention = keep
		s, err := publish.Run(context.Background(), o)
		must(t, err)
		last = s
	}
	return last
}

// lookLive reads everything that a reader would, and returns which tick it is; 0 if
// nothing was published.
func lookLive(f durable.FS) (tick int, c snapshot.Commit, err error) {
	c, found, err := snapshot.Head(f)
	if err != nil || !found {
		return 0, c, err
	}
	m, err := snapshot.Open(f, c)
	if err != nil {
		return 0, c, err
	}
	if err := snapshot.Verify(f, c.Dir(), m); err != nil {
		return 0, c, err
	}
	err = eachRow(f, c.Dir()+"/"+layout.LiveFile, func(row *table.LiveRow) error {
		_, err := fmt.Sscanf(*row.Home, "tick %d", &tick)
		return err
	})
	if err != nil {
		return 0, c, err
	}
	return tick, c, eachRow(f, c.Dir()+"/"+layout.LiveBucketsFile, func(row *table.LiveBucketRow) error {
		if int(*row.Home) != tick {
			return fmt.Errorf("minutes of tick %d in tick %d", *row.Home, tick)
		}
		return nil
	})
}

// A live snapshot is the cycle's tables without live_states, and has no change log;
// nothing is carried over.
func TestLive(t *testing.T) {
	mem := durabletest.NewMem()
	publishTicks(t, mem, retention.Policy{}, liveTick{1, 5}, liveTick{2, 4})
	s := publishTicks(t, mem, retention.Policy{}, liveTick{3, 3})
	if s.Version != 3 || s.Fixtures != 3 || s.InPlay != 3 || s.Events != 0 || s.LastSeq != 0 || s.Removed != 0 {
		t.Errorf("%+v", s)
	}
	tick, c, err := lookLive(mem)
	must(t, err)
	m, err := snapshot.Open(mem, c)
	must(t, err)
	if tick != 3 || len(m.Changes) > 0 || !m.ProviderFetchedAt.Equal(liveTick{number: 3}.at()) || m.Counters["in_play"] != 3 {
		t.Errorf("tick %d, %+v", tick, m)
	}
	var names []string
	for _, file := range m.Files {
		names = append(names, file.Name)
		canonical := layout.Cycle(layout.CanonicalDir, c.CycleID) + "/" + file.Name
		if same, err := durable.SameFile(mem, c.Dir()+"/"+file.Name, canonical); err != nil || !same {
			t.Errorf("%s is not the cycle's: %v", file.Name, err)
		}
	}
	if got := strings.Join(names, " "); got != "live.parquet live_counters.parquet live_timeline.parquet live_buckets.parquet live_periods.parquet" {
		t.Error(got)
	}
	if again, err := publish.Run(context.Background(), liveTick{2, 4}.options(mem)); err != nil || !again.Already || again.Version != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := publish.Run(context.Background(), liveTick{0, 4}.options(mem)); !errors.Is(err, publish.ErrNoCycle) && !errors.Is(err, publish.ErrOlderCycle) {
		t.Errorf("an older one: %v", err)
	}
}

// A file that changes between its check and the publication is not published.
func TestLiveFileIsVerified(t *testing.T) {
	mem := durabletest.NewMem()
	publishTicks(t, mem, retention.Policy{}, liveTick{1, 5})
	k, linked := liveTick{2, 4}, 0
	k.transform(t, mem)
	name := layout.Cycle(layout.CanonicalDir, k.id()) + "/" + layout.LiveFile
	w := durabletest.Wrap(mem, func(op durabletest.Op) error {
		if op.Kind == durabletest.Link && strings.HasSuffix(op.Name, "/"+layout.LiveFile) {
			linked++
			data, err := durable.ReadFile(mem, name, 1<<20)
			must(t, err)
			data[len(data)/2] ^= 1
			must(t, durable.Overwrite(mem, name, data))
		}
		return nil
	})
	_, err := publish.Run(context.Background(), k.options(w))
	if !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), layout.LiveFile) || linked != 1 {
		t.Errorf("linked %d times: %v", linked, err)
	}
	if tick, _, err := lookLive(mem); tick != 1 || err != nil {
		t.Errorf("tick %d is published, %v", tick, err)
	}
}

// After a kill at any operation and a power cut a reader finds the old tick or the new
// one, and the next run completes the publication.
func TestLiveKilledAtEveryOperation(t *testing.T) {
	scene := func() *durabletest.Mem {
		mem := durabletest.NewMem()
		publishTicks(t, mem, retention.Default(), liveTick{1, 5}, liveTick{2, 4})
		liveTick{400, 3}.transform(t, mem)
		return mem
	}
	base := scene()
	o := func(f durable.FS, run string) publish.Options {
		o := liveTick{400, 3}.options(f)
		o.Retention, o.RunID = retention.Default(), run
		return o
	}
	uninterrupted := scene()
	_, err := publish.Run(context.Background(), o(uninterrupted, "uninterrupted"))
	must(t, err)
	_, want, err := lookLive(uninterrupted)
	must(t, err)
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k++ {
			mem := base.PowerCut(1, 1)
			_, killed := publish.Run(context.Background(), o(durabletest.Wrap(mem, durabletest.KillAt(k)), "killed"))
			after := mem.PowerCut(keep, uint64(k))
			tick, _, err := lookLive(after)
			if err != nil || tick != 2 && tick != 400 || killed == nil && tick != 400 {
				t.Fatalf("keep %v, operation %d: tick %d, %v, %v", keep, k, tick, killed, err)
			}
			_, err = publish.Run(context.Background(), o(after, "again"))
			must(t, err)
			if tick, c, err := lookLive(after); err != nil || tick != 400 || c.ManifestSHA256 != want.ManifestSHA256 {
				t.Fatalf("keep %v, operation %d, again: tick %d, %v, %v", keep, k, tick, cmp.Diff(want, c), err)
			}
			if killed == nil {
				break
			}
		}
	}
}

// An hour of ticks leaves a bounded number of files. Every commit record can still be
// read and follows the one before it, and only the ticks that collect list folders.
func TestLiveRetention(t *testing.T) {
	mem := durabletest.NewMem()
	lists, collecting := 0, 0
	w := durabletest.Wrap(mem, func(op durabletest.Op) error {
		if op.Kind == durabletest.ReadDir && slices.Contains([]string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.CommitsDir}, op.Name) {
			lists++
		}
		return nil
	})
	const ticks = 1000
	for n := 1; n <= ticks; n++ {
		before := lists
		s := publishTicks(t, w, retention.Default(), liveTick{n, 1})
		if lists > before {
			collecting++
		} else if s.Collected != (retention.Collected{}) {
			t.Fatalf("tick %d: %+v", n, s.Collected)
		}
	}
	if collecting < 13 || collecting > 15 { // 8,000 s in slots of 600 s
		t.Errorf("%d of %d ticks listed something", collecting, ticks)
	}
	count := func(dir string) int {
		entries, err := mem.ReadDir(dir)
		must(t, err)
		return len(entries)
	}
	minutes := (tickAgeForTest + 10*time.Minute) / (8 * time.Second)
	if n := count(layout.SnapshotsDir); n > int(minutes)+5 || n < 3 {
		t.Errorf("%d snapshots", n)
	}
	if n := count(layout.CanonicalDir); n > int(minutes)+5+3 {
		t.Errorf("%d canonical cycles", n)
	}
	if n := count(layout.CommitsDir); n > 256+int(minutes)+5+3 {
		t.Errorf("%d files of commits", n)
	}
	for _, hour := range []int{1, 450, 900} { // the first of its hour
		if there, err := durable.Exists(mem, layout.Cycle(layout.CanonicalDir, liveTick{number: hour}.id())); err != nil || !there {
			t.Errorf("the first cycle of the hour of tick %d is gone, %v", hour, err)
		}
	}
	previous := ""
	for n := uint64(1); n <= ticks; n++ {
		c, err := snapshot.ReadCommit(mem, n)
		must(t, err)
		if c.PreviousSHA256 != previous || c.CycleID != (liveTick{number: int(n)}).id() {
			t.Fatalf("commit %d: %+v", n, c)
		}
		previous = c.SHA256
	}
	for _, current := range []string{"", "{}"} {
		must(t, durable.Overwrite(mem, layout.Current, []byte(current)))
		if tick, c, err := lookLive(mem); err != nil || tick != ticks || c.Version != ticks {
			t.Errorf("with CURRENT %q: tick %d, version %d, %v", current, tick, c.Version, err)
		}
	}
	if _, err := snapshot.Seal(mem, snapshot.Commit{Format: 1, Version: 3, HistoryID: "h", RunID: "r", CycleID: liveTick{number: 3}.id(), PublishedAt: start,
		ManifestSHA256: strings.Repeat("0", 64), FirstSeq: 1, PreviousSHA256: strings.Repeat("0", 64)}, "staging/commit.json"); !errors.Is(err, snapshot.ErrConflict) {
		t.Errorf("the number of a compacted record was given once more: %v", err)
	}
}

const tickAgeForTest = 15 * time.Minute

// Without --cycle the newest cycle that transform reported is published.
func TestLiveNewest(t *testing.T) {
	mem := durabletest.NewMem()
	for n := 1; n <= 3; n++ {
		liveTick{n, 1}.transform(t, mem)
	}
	must(t, health.Record(mem, health.Run{Step: "transform", Cycle: string(liveTick{number: 2}.id()), OK: true, StartedAt: start, FinishedAt: start}))
	o := liveTick{3, 1}.options(mem)
	o.Cycle = ""
	for _, want := range []int{2, 3, 3} { // first as reported, then as listed
		if s, err := publish.Run(context.Background(), o); err != nil || s.Cycle != (liveTick{number: want}).id() {
			t.Errorf("%+v, %v, want tick %d", s, err, want)
		}
	}
}
