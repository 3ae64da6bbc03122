package tracking

import (
	"cmp"
	"time"

	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
	"mkt/transform/live"
)

// bytesAState is about the size of an encoded state; there may be any number.
const bytesAState = 1 << 10

// canonicalRows are the rows of a canonical cycle.
type canonicalRows struct {
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
	told live.Shown // by this publication and those before
	rank int        // in the detail set; 0 outside it
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
func (l *canonicalRows) grow(all []*shown) {
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

func (l *canonicalRows) add(f *shown) {
	counters, timeline, buckets, periods := len(l.counters), len(l.timeline), len(l.buckets), len(l.periods)
	l.fixtures = append(l.fixtures, canonical.Live(&f.Live, f.fetchedAt, f.rank))
	l.counters = canonical.LiveCounters(l.counters, &f.Live)
	if f.rank > 0 {
		l.timeline = canonical.LiveTimeline(l.timeline, &f.Live)
		l.buckets = canonical.LiveBuckets(l.buckets, &f.Live)
		l.periods = canonical.LivePeriods(l.periods, &f.Live)
	}
	entry, content := snapshot.LiveEntryOf(&content.LiveRows{Fixture: l.fixtures[len(l.fixtures)-1], Counters: l.counters[counters:], Timeline: l.timeline[timeline:],
		Buckets: l.buckets[buckets:], Periods: l.periods[periods:]}, l.content[:0])
	l.entries, l.content = append(l.entries, entry), content
	from := len(l.encoded)
	l.encoded = f.state.Encode(l.encoded)
	row := table.LiveStateRow{FixtureID: string(f.Fixture.ID), ProviderFixtureID: f.state.FixtureID(),
		FetchedAt: f.fetchedAt.UTC().Truncate(time.Millisecond), State: l.encoded[from:len(l.encoded):len(l.encoded)]}
	from = len(l.encoded)
	l.encoded = f.told.Encode(l.encoded)
	row.Shown = l.encoded[from:len(l.encoded):len(l.encoded)]
	if id := f.state.EventID(); id != "" {
		row.ProviderEventID = &id
	}
	l.states = append(l.states, row)
}
