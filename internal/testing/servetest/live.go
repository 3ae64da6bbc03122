package servetest

import (
	"fmt"
	"io"
	"sort"
	"testing"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// LiveTick is the time between two live publications.
const LiveTick = 8 * time.Second

// LiveRoot is one tenant's data of the live product.
type LiveRoot struct {
	Dataset
	Held int64 // fixtures that the next publications keep although the list lacks them
}

// NewLiveRoot opens the folder of a tenant's live data below the data root.
func NewLiveRoot(t testing.TB, dataDir, clientID string) *LiveRoot {
	t.Helper()
	return &LiveRoot{Dataset: openDataset(t, dataDir, clientID, football.LiveIntelligence, "live-"+clientID)}
}

// LiveFixture is one fixture of a live snapshot with the rows of its other tables.
type LiveFixture struct {
	Row      table.LiveRow
	Counters []table.LiveCounterRow
	Timeline []table.LiveTimelineRow
	Buckets  []table.LiveBucketRow
	Periods  []table.LivePeriodRow
}

// Publish publishes fixtures, which need not be sorted. The first publication is at Start,
// and each further one a tick later.
func (r *LiveRoot) Publish(fixtures []LiveFixture) snapshot.Commit {
	r.t.Helper()
	sort.Slice(fixtures, func(i, j int) bool { return fixtures[i].Row.FixtureID < fixtures[j].Row.FixtureID })
	at := Start.Add(time.Duration(r.Commit.Version) * LiveTick)
	dir, header := r.begin(at)
	w := liveWriter{r, dir, header}
	files := []snapshot.File{
		writeLive(w, layout.LiveFile, fixtures, func(f *LiveFixture) []table.LiveRow { return []table.LiveRow{f.Row} }),
		writeLive(w, layout.LiveBucketsFile, fixtures, func(f *LiveFixture) []table.LiveBucketRow { return f.Buckets }),
		writeLive(w, layout.LiveCountersFile, fixtures, func(f *LiveFixture) []table.LiveCounterRow { return f.Counters }),
		writeLive(w, layout.LivePeriodsFile, fixtures, func(f *LiveFixture) []table.LivePeriodRow { return f.Periods }),
		writeLive(w, layout.LiveTimelineFile, fixtures, func(f *LiveFixture) []table.LiveTimelineRow { return f.Timeline }),
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Name < files[j].Name })
	r.seal(at, at.Add(-2*time.Second), at.Add(-time.Second),
		snapshot.Manifest{Files: files, Counters: map[string]int64{"held": r.Held}}, snapshot.Commit{FirstSeq: 1})
	return r.Commit
}

type liveWriter struct {
	*LiveRoot
	dir    string
	header table.Header
}

func writeLive[T table.Row](w liveWriter, name string, fixtures []LiveFixture, rows func(*LiveFixture) []T) snapshot.File {
	w.t.Helper()
	file, err := snapshot.CreateFile(w.FS, w.dir, name, func(out io.Writer) error {
		t := table.NewWriter[T](out, w.header)
		for i := range fixtures {
			if err := t.Write(rows(&fixtures[i])...); err != nil {
				return err
			}
		}
		_, err := t.Close()
		return err
	})
	must(w.t, err)
	return file
}

// LiveSample returns the n-th fixture in play of a client, observed at a time. Its id is
// that of the client's n-th sample of the market engine. Fixtures 0, 3, 6 … are in the
// detail set. Of every six fixtures, one has no momentum, one has left play, and one is as of
// builds without ids of entries. version is part of the names.
func LiveSample(clientID string, n, version int, at time.Time) LiveFixture {
	id := FixtureID(clientID, n)
	stale := at.Add(time.Minute)
	home := int32(50 + n%40)
	f := LiveFixture{Row: table.LiveRow{
		FixtureID: id, Home: ptr(fmt.Sprintf("Home %d v%d", n, version)), Away: ptr(fmt.Sprintf("Away %d v%d", n, version)), League: ptr(leagues[n%len(leagues)]),
		StartsAt: ptr(at.Add(-30 * time.Minute)), InPlay: true, At: at, FreshAt: at.Add(-time.Second), StaleAt: &stale,
		ClockPeriod: ptr(string(football.FirstHalf)), ClockMinute: ptr(int32(29)), ClockSecond: ptr(int32(7)), ClockRunning: ptr(true),
		ScoreHome: ptr(int32(1)), ScoreAway: ptr(int32(0)),
		VisualState: ptr(string(football.VisualPressure)), VisualSide: ptr(string(football.SideHome)), VisualCertainty: ptr(string(football.Inferred)), VisualSince: ptr(at.Add(-24 * time.Second)),
		MomentumHome: &home, MomentumAway: ptr(100 - home), MomentumLeader: ptr(string(football.LeaderHome)), MomentumStrength: ptr(string(football.StrengthClear)),
		MomentumScope: ptr(string(football.ScopeFixture)), TimelineRevision: ptr(int32(28_815_480 + n)), SourceProvider: "betsapi", ProviderFixtureID: fmt.Sprint(1_000_000 + n), ProviderFetchedAt: at.Add(-time.Second),
		Absent: []string{"clock_added"},
	}}
	switch n % 6 {
	case 4: // nothing is known yet
		f.Row.MomentumHome, f.Row.MomentumAway, f.Row.MomentumLeader, f.Row.MomentumStrength, f.Row.MomentumScope = nil, nil, nil, nil, nil
		f.Row.VisualState, f.Row.VisualSide, f.Row.VisualCertainty, f.Row.VisualSince = nil, nil, nil, nil
		f.Row.UnavailableReason = ptr(string(football.InsufficientSamples))
	case 5: // it left play
		f.Row.InPlay, f.Row.StaleAt, f.Row.ClockPeriod, f.Row.ClockRunning = false, nil, ptr(string(football.FullTime)), ptr(false)
		f.Row.MomentumHome, f.Row.MomentumAway, f.Row.MomentumLeader, f.Row.MomentumStrength, f.Row.MomentumScope = nil, nil, nil, nil, nil
		f.Row.UnavailableReason = ptr(string(football.NotInPlay))
	}
	f.Counters = []table.LiveCounterRow{
		{FixtureID: id, Metric: "attacks", State: string(football.BucketValue), HomeText: ptr("41"), Home: ptr(41.0), AwayText: ptr("0"), Away: ptr(0.0)},
		{FixtureID: id, Metric: "corners", State: string(football.BucketZero), HomeText: ptr("0"), Home: ptr(0.0), Absent: []string{"away"}},
		{FixtureID: id, Metric: "possession", State: string(football.BucketNull)},
	}
	if n%3 == 0 {
		f.detail(n, at)
	}
	return f
}

func (f *LiveFixture) detail(n int, at time.Time) {
	id := f.Row.FixtureID
	f.Row.DetailRank, f.Row.SeriesMax, f.Row.SeriesMaxMinute = ptr(int32(n+1)), ptr(int32(12)), ptr(int32(45))
	f.Timeline = []table.LiveTimelineRow{
		{FixtureID: id, At: at.Add(-29 * time.Minute), State: string(football.VisualKickOff), Certainty: string(football.Inferred), SideProven: string(football.SideNone), Until: at.Add(-9 * time.Minute)},
		{FixtureID: id, Ordinal: 1, At: at.Add(-9 * time.Minute), Half: ptr(int32(1)), Minute: ptr(int32(20)), Second: ptr(int32(31)), State: string(football.VisualGoal), Certainty: string(football.Exact), SideProven: string(football.SideHome), Until: at.Add(-24 * time.Second)},
		{FixtureID: id, Ordinal: 2, At: at.Add(-24 * time.Second), Half: ptr(int32(1)), Minute: ptr(int32(28)), Second: ptr(int32(43)), State: string(football.VisualPressure), Certainty: string(football.Inferred), SideProven: string(football.SideHome), Until: at},
	}
	if n%6 == 3 {
		f.Row.TimelineRevision = nil
	} else {
		entryID := func(number int) string {
			return string(football.AppendEntry(fmt.Appendf(nil, "en_0c2k9q4r7m%03d", n), int32(number)))
		}
		for i := range f.Timeline {
			f.Timeline[i].EntryID = ptr(entryID(i))
		}
		f.Row.Withdrawn = []table.WithdrawnRow{
			{EntryID: entryID(35), State: string(football.VisualGoal), SideProven: string(football.SideAway), Minute: ptr(int32(24)), Second: ptr(int32(4)),
				At: at.Add(-5 * time.Minute), ShownFrom: at.Add(-5 * time.Minute), WithdrawnAt: at.Add(-3 * time.Minute), Reason: string(football.CounterFell)},
			{EntryID: entryID(36), State: string(football.VisualCard), SideProven: string(football.SideHome), Minute: ptr(int32(45)), Second: ptr(int32(0)), Added: ptr(int32(2)),
				At: at.Add(-2 * time.Minute), ShownFrom: at.Add(-time.Minute), WithdrawnAt: at, Reason: string(football.Replaced), ReplacedBy: f.Timeline[2].EntryID},
		}
	}
	f.Buckets = []table.LiveBucketRow{
		{FixtureID: id, Minute: 1, State: string(football.BucketMissing)},
		{FixtureID: id, Minute: 2, State: string(football.BucketZero), Home: ptr(int32(0)), Away: ptr(int32(0))},
		{FixtureID: id, Minute: 3, State: string(football.BucketNull)},
		{FixtureID: id, Minute: 30, State: string(football.BucketValue), Home: ptr(int32(12)), Away: ptr(int32(0))},
		{FixtureID: id, Minute: 45, Added: 2, State: string(football.BucketZero), Home: ptr(int32(0)), Away: ptr(int32(0))},
	}
	f.Periods = []table.LivePeriodRow{
		{FixtureID: id, Half: 1, State: string(football.BucketValue), Home: ptr(int32(12)), Away: ptr(int32(0))},
		{FixtureID: id, Half: 2, State: string(football.BucketMissing)},
	}
}

// LiveSamples returns the fixtures 0 to n-1.
func LiveSamples(clientID string, n, version int, at time.Time) []LiveFixture {
	list := make([]LiveFixture, n)
	for i := range list {
		list[i] = LiveSample(clientID, i, version, at)
	}
	return list
}
