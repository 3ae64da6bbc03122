package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

type liveSet struct {
	fixtures []*api.LiveFixture // by id
	inPlay   []*api.LiveFixture // the fixtures in play, by id
	byID     map[string]*api.LiveFixture
}

// maxLiveFixtures is the maximum number of fixtures in a live snapshot, many times more than
// are ever in play at once.
const maxLiveFixtures = 20_000

const maxLiveRows = 1_000_000

// maxLiveBytes is the maximum size of all files of a live snapshot, which are read into
// memory.
const maxLiveBytes = 256 << 20

// liveFiles are the files of a live snapshot, by name.
type liveFiles map[string][]byte

// loadLive reads every file once, compares it with the manifest, and renders its rows.
func loadLive(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest) (*liveSet, error) {
	files, size := liveFiles{}, int64(0)
	for _, file := range m.Files {
		if size += file.Bytes; size > maxLiveBytes {
			return nil, fmt.Errorf("load %s: %w: more than %d bytes", dir, snapshot.ErrInvalid, maxLiveBytes)
		}
		data, err := snapshot.ReadVerified(f, dir, file)
		if err != nil {
			return nil, err
		}
		files[file.Name] = data
	}
	s, err := renderLive(ctx, files)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	return s, nil
}

func renderLive(ctx context.Context, files liveFiles) (*liveSet, error) {
	rows, err := readLive[table.LiveRow](files, layout.LiveFile, maxLiveFixtures)
	if err != nil {
		return nil, err
	}
	counters, err1 := grouped[table.LiveCounterRow](files, layout.LiveCountersFile, func(r *table.LiveCounterRow) string { return r.FixtureID })
	timeline, err2 := grouped[table.LiveTimelineRow](files, layout.LiveTimelineFile, func(r *table.LiveTimelineRow) string { return r.FixtureID })
	buckets, err3 := grouped[table.LiveBucketRow](files, layout.LiveBucketsFile, func(r *table.LiveBucketRow) string { return r.FixtureID })
	periods, err4 := grouped[table.LivePeriodRow](files, layout.LivePeriodsFile, func(r *table.LivePeriodRow) string { return r.FixtureID })
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	s := &liveSet{byID: make(map[string]*api.LiveFixture, len(rows))}
	last := ""
	for i := range rows {
		r := &rows[i]
		if !football.IsFixtureID(r.FixtureID) || r.FixtureID <= last {
			return nil, fmt.Errorf("%w: live fixture id %q follows %q", snapshot.ErrInvalid, r.FixtureID, last)
		}
		last = r.FixtureID
		s.add(api.NewLiveFixture(r, api.LiveDetail{Counters: counters.of(last), Timeline: timeline.of(last),
			Buckets: buckets.of(last), Periods: periods.of(last)}))
	}
	for name, left := range map[string]int{layout.LiveCountersFile: counters.left(), layout.LiveTimelineFile: timeline.left(),
		layout.LiveBucketsFile: buckets.left(), layout.LivePeriodsFile: periods.left()} {
		if left > 0 {
			return nil, fmt.Errorf("%w: %s: %d rows belong to no fixture or are out of order", snapshot.ErrInvalid, name, left)
		}
	}
	return s, ctx.Err()
}

func (s *liveSet) add(f *api.LiveFixture) {
	s.fixtures = append(s.fixtures, f)
	s.byID[f.ID] = f
	if f.InPlay {
		s.inPlay = append(s.inPlay, f)
	}
}

func readLive[T table.Row](files liveFiles, name string, maxRows int64) ([]T, error) {
	data, listed := files[name]
	if !listed {
		return nil, fmt.Errorf("%s: %w: the manifest does not list it", name, snapshot.ErrInvalid)
	}
	t, err := table.NewReader[T](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, snapshot.ErrInvalid, err)
	}
	defer t.Close()
	if t.Len() > maxRows {
		return nil, fmt.Errorf("%s: %w: %d rows are more than the limit of %d", name, snapshot.ErrInvalid, t.Len(), maxRows)
	}
	rows := make([]T, 0, t.Len())
	for row, err := range t.All {
		if err != nil {
			return nil, fmt.Errorf("%s: %w: only %d of %d rows can be read: %w", name, snapshot.ErrInvalid, len(rows), t.Len(), err)
		}
		rows = append(rows, *row)
	}
	if int64(len(rows)) != t.Len() {
		return nil, fmt.Errorf("%s: %w: only %d of %d rows can be read", name, snapshot.ErrInvalid, len(rows), t.Len())
	}
	return rows, nil
}

// groups returns the rows of a table, which are sorted by fixture, fixture by
// fixture.
type groups[T any] struct {
	rows []T
	id   func(*T) string
}

func grouped[T table.Row](files liveFiles, name string, id func(*T) string) (*groups[T], error) {
	rows, err := readLive[T](files, name, maxLiveRows)
	return &groups[T]{rows, id}, err
}

// of removes and returns the rows of the next fixture, if the next rows are its own.
func (g *groups[T]) of(fixture string) []T {
	n := 0
	for n < len(g.rows) && g.id(&g.rows[n]) == fixture {
		n++
	}
	taken := g.rows[:n:n]
	g.rows = g.rows[n:]
	return taken
}

func (g *groups[T]) left() int { return len(g.rows) }

// LiveCount returns the number of fixtures in play.
func (v *View) LiveCount() int { return len(v.live.inPlay) }

// Live returns at most limit fixtures in play whose ids follow after, in the order of
// their ids. An empty after starts with the first one. more reports whether further
// fixtures follow. The caller must not modify the result.
func (v *View) Live(after string, limit int) (page []*api.LiveFixture, more bool) {
	all := v.live.inPlay
	from := sort.Search(len(all), func(i int) bool { return all[i].ID > after })
	to := min(from+limit, len(all))
	return all[from:to], to < len(all)
}

// FindLive returns the fixture with that id, which is in play or has left play and is
// still kept.
func (v *View) FindLive(id string) (*api.LiveFixture, bool) {
	f, ok := v.live.byID[id]
	return f, ok
}

// Staleness says for how many fixtures in play the data is too old. While a view gets
// older, its staleness can only grow.
type Staleness int

// The staleness of a feed. A stopped clock needs no new samples, so if any clock runs, only
// the fixtures with a running clock count.
const (
	FeedFresh    Staleness = iota
	FeedStale              // the data of every fixture with a running clock is too old
	FeedAllStale           // the data of every fixture in play is too old
)

// Staleness returns the staleness of the feed at now; [FeedFresh] if nothing is in play.
func (v *View) Staleness(now time.Time) Staleness {
	running, resting := 0, 0
	for _, f := range v.live.inPlay {
		switch {
		case f.Runs() && !f.StaleAt(now):
			return FeedFresh
		case f.Runs():
			running++
		case !f.StaleAt(now):
			resting++
		}
	}
	switch {
	case len(v.live.inPlay) == 0 || running == 0 && resting > 0:
		return FeedFresh
	case resting > 0:
		return FeedStale
	}
	return FeedAllStale
}

// LiveFreshness returns the times of one fixture: its own retrieval, and the other
// times of the snapshot.
func (v *View) LiveFreshness(f *api.LiveFixture) api.Freshness {
	fresh := v.Freshness()
	fresh.ProviderFetchedAt = &f.FetchedAt
	return fresh
}
