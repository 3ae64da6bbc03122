package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// maxFixtures is the maximum number of fixtures in a live snapshot, many times more than
// are ever in play at once.
const maxFixtures = 20_000

const maxRows = 1_000_000

// maxBytes is the maximum size of all files of a live snapshot, which are read into
// memory.
const maxBytes = 256 << 20

// files are the files of a live snapshot, by name.
type files map[string][]byte

// Load reads every file of a snapshot once, compares it with the manifest, and renders its rows.
func Load(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest) (*Set, error) {
	all, size := files{}, int64(0)
	for _, file := range m.Files {
		if size += file.Bytes; size > maxBytes {
			return nil, fmt.Errorf("load %s: %w: more than %d bytes", dir, snapshot.ErrInvalid, maxBytes)
		}
		data, err := snapshot.ReadVerified(f, dir, file)
		if err != nil {
			return nil, err
		}
		all[file.Name] = data
	}
	s, err := render(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	return s, nil
}

func render(ctx context.Context, all files) (*Set, error) {
	rows, err := read[table.LiveRow](all, layout.LiveFile, maxFixtures)
	if err != nil {
		return nil, err
	}
	counters, err1 := grouped[table.LiveCounterRow](all, layout.LiveCountersFile, func(r *table.LiveCounterRow) string { return r.FixtureID })
	timeline, err2 := grouped[table.LiveTimelineRow](all, layout.LiveTimelineFile, func(r *table.LiveTimelineRow) string { return r.FixtureID })
	buckets, err3 := grouped[table.LiveBucketRow](all, layout.LiveBucketsFile, func(r *table.LiveBucketRow) string { return r.FixtureID })
	periods, err4 := grouped[table.LivePeriodRow](all, layout.LivePeriodsFile, func(r *table.LivePeriodRow) string { return r.FixtureID })
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	s := &Set{byID: make(map[string]*api.LiveFixture, len(rows))}
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

func read[T table.Row](all files, name string, most int64) ([]T, error) {
	data, listed := all[name]
	if !listed {
		return nil, fmt.Errorf("%s: %w: the manifest does not list it", name, snapshot.ErrInvalid)
	}
	t, err := table.NewReader[T](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, snapshot.ErrInvalid, err)
	}
	defer t.Close()
	if t.Len() > most {
		return nil, fmt.Errorf("%s: %w: %d rows are more than the limit of %d", name, snapshot.ErrInvalid, t.Len(), most)
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

func grouped[T table.Row](all files, name string, id func(*T) string) (*groups[T], error) {
	rows, err := read[T](all, name, maxRows)
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
