package transform

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// bytesAState is about the size of an encoded state; there may be any number.
const bytesAState = 1 << 10

type liveResult struct {
	fixtures []table.LiveRow
	counters []table.LiveCounterRow
	timeline []table.LiveTimelineRow
	buckets  []table.LiveBucketRow
	periods  []table.LivePeriodRow
	states   []table.LiveStateRow
	encoded  []byte // the states of states
	entries  []snapshot.FixtureEntry
	content  []byte // of one fixture after the other
}

// shown is a fixture for publication.
type shown struct {
	*track
	football.Live
	rank int // in the detail set; 0 outside it
}

// arrange turns the tracked fixtures into rows.
func (r *run) arrange(tracks []*track) {
	minter, s := r.minter(), &r.summary
	all := make([]*shown, len(tracks))
	for i, t := range tracks {
		all[i] = &shown{track: t, Live: t.state.Brief()}
	}
	detailed := slices.Clone(all)
	slices.SortFunc(detailed, byInterest)
	for i, f := range detailed[:min(r.Details, len(detailed))] {
		f.rank, f.Live = i+1, f.state.Live()
	}
	for _, f := range all {
		f.Live.Fixture.ID = minter.Fixture(f.state.FixtureID()).FixtureID()
		f.Live.Fixture.Provider = r.archive.Cycle().Provider
		s.Fixtures++
		if f.InPlay {
			s.Live.InPlay++
		}
		if f.Momentum.Available() {
			s.Live.Momentum++
		}
	}
	slices.SortFunc(all, func(a, b *shown) int { return cmp.Compare(a.Fixture.ID, b.Fixture.ID) })
	r.result.live.grow(all)
	for _, f := range all {
		r.result.live.add(f)
	}
}

// byInterest orders fixtures for the detail set: those in play first, and among them those with
// momentum, farthest from 50/50 first.
func byInterest(a, b *shown) int {
	return cmp.Or(cmp.Compare(b.interest(), a.interest()), cmp.Compare(a.state.FixtureID(), b.state.FixtureID()))
}

func (s *shown) interest() int {
	switch {
	case !s.InPlay:
		return -2
	case !s.Momentum.Available():
		return -1
	}
	return max(s.Momentum.Home, s.Momentum.Away) - 50
}

// grow allocates the lists for the rows of these fixtures.
func (l *liveResult) grow(all []*shown) {
	counters, timeline, buckets := 0, 0, 0
	for _, f := range all {
		counters += len(f.Counters)
		if f.rank > 0 {
			timeline, buckets = timeline+len(f.Timeline), buckets+len(f.Series.Buckets)
		}
	}
	l.fixtures, l.states = make([]table.LiveRow, 0, len(all)), make([]table.LiveStateRow, 0, len(all))
	l.entries = make([]snapshot.FixtureEntry, 0, len(all))
	l.encoded = make([]byte, 0, len(all)*bytesAState)
	l.counters = make([]table.LiveCounterRow, 0, counters)
	l.timeline, l.buckets = make([]table.LiveTimelineRow, 0, timeline), make([]table.LiveBucketRow, 0, buckets)
}

func (l *liveResult) add(f *shown) {
	counters, timeline, buckets, periods := len(l.counters), len(l.timeline), len(l.buckets), len(l.periods)
	l.fixtures = append(l.fixtures, table.LiveOf(&f.Live, f.fetchedAt, f.rank))
	l.counters = table.LiveCountersOf(l.counters, &f.Live)
	if f.rank > 0 {
		l.timeline = table.LiveTimelineOf(l.timeline, &f.Live)
		l.buckets = table.LiveBucketsOf(l.buckets, &f.Live)
		l.periods = table.LivePeriodsOf(l.periods, &f.Live)
	}
	entry, content := snapshot.LiveEntryOf(&table.LiveRows{Fixture: l.fixtures[len(l.fixtures)-1], Counters: l.counters[counters:], Timeline: l.timeline[timeline:],
		Buckets: l.buckets[buckets:], Periods: l.periods[periods:]}, l.content[:0])
	l.entries, l.content = append(l.entries, entry), content
	from := len(l.encoded)
	l.encoded = f.state.Encode(l.encoded)
	row := table.LiveStateRow{FixtureID: string(f.Fixture.ID), ProviderFixtureID: f.state.FixtureID(),
		FetchedAt: f.fetchedAt.UTC().Truncate(time.Millisecond), State: l.encoded[from:len(l.encoded):len(l.encoded)]}
	if id := f.state.EventID(); id != "" {
		row.ProviderEventID = &id
	}
	l.states = append(l.states, row)
}

func writeLiveTables(ctx context.Context, r *run, dir string, m *snapshot.Manifest) error {
	l := &r.result.live
	if r.before == nil || r.before.FixturesRoot != "" { // an older version did not write it
		m.FixturesRoot = snapshot.FixturesRoot(l.entries)
	}
	for _, c := range liveCounts(&r.summary) {
		m.Counters[c.name] = int64(c.n)
	}
	for _, write := range []func() error{
		func() error { return stageRows(ctx, r, m, dir, layout.LiveFile, "live", l.fixtures) },
		func() error { return stageRows(ctx, r, m, dir, layout.LiveCountersFile, "live_counters", l.counters) },
		func() error { return stageRows(ctx, r, m, dir, layout.LiveTimelineFile, "live_timeline", l.timeline) },
		func() error { return stageRows(ctx, r, m, dir, layout.LiveBucketsFile, "live_buckets", l.buckets) },
		func() error { return stageRows(ctx, r, m, dir, layout.LivePeriodsFile, "live_periods", l.periods) },
		func() error { return stageRows(ctx, r, m, dir, layout.LiveStatesFile, statesTable, l.states) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func stageRows[T table.Row](ctx context.Context, r *run, m *snapshot.Manifest, dir, name, key string, rows []T) error {
	return create(ctx, r, m, dir, name, key, func(w *table.Writer[T]) error { return w.Write(rows...) })
}
