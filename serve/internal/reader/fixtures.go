package reader

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sort"
)

// FixtureFilter narrows the fixture list. Its zero value lets all pass; a
// fixture without the field that is asked about never passes.
type FixtureFilter struct {
	League string // folded (see Fold); the league's name contains it
	After  Instant
	Before Instant
}

// Instant is a bound in time; its zero value is none.
type Instant struct {
	set bool
	ms  int64
}

// At is the bound at a time, Unix milliseconds.
func At(ms int64) Instant { return Instant{true, ms} }

// MS is the bound, and whether there is one.
func (i Instant) MS() (ms int64, ok bool) { return i.ms, i.set }

// FixtureItem is one fixture of a list.
type FixtureItem struct {
	ID   string
	Body []byte // only valid until the callback returns
}

// FilteredCount is how many fixtures pass the filter.
func (v *View) FilteredCount(ctx context.Context, f FixtureFilter) (int, error) {
	if f == (FixtureFilter{}) {
		return v.FixtureCount(), nil
	}
	matches, err := v.matching(ctx, f)
	return len(matches), err
}

// Fixtures gives at most limit fixtures that pass the filter and come after the
// id ("" = from the first), by id. more tells whether others follow.
func (v *View) Fixtures(ctx context.Context, f FixtureFilter, after string, limit int, do func(FixtureItem)) (more bool, err error) {
	from := v.index.after(after)
	item := func(_ int, e *entry) bool {
		do(FixtureItem{ID: string(e.key), Body: e.body})
		return true
	}
	if f == (FixtureFilter{}) {
		to := min(from+limit, v.FixtureCount())
		return to < v.FixtureCount(), v.each(ctx, fixtureChunks, from, to, limit+chunkRows, item)
	}
	matches, err := v.matching(ctx, f)
	if err != nil {
		return false, err
	}
	rest := matches[sort.Search(len(matches), func(i int) bool { return int(matches[i]) >= from }):]
	page := rest[:min(limit, len(rest))]
	return len(page) < len(rest), v.pick(ctx, fixtureChunks, page, item)
}

// FixtureBody gives the two parts of a single fixture's JSON, valid until do
// returns.
func (v *View) FixtureBody(ctx context.Context, f Fixture, do func(body, detail []byte)) error {
	return v.each(ctx, fixtureChunks, f.n, f.n+1, 1, func(_ int, e *entry) bool {
		do(e.body, e.detail)
		return false
	})
}

const matchQuery = `SELECT n FROM d.fixture
WHERE (? OR contains(league, ?)) AND (? OR starts_at >= ?) AND (? OR starts_at < ?)`

// matching lists the numbers of the fixtures that pass, rising. It is worked out
// once for a view and filter: a snapshot does not change.
func (v *View) matching(ctx context.Context, f FixtureFilter) ([]int32, error) {
	if list, ok := v.matches.get(f); ok {
		return list, nil
	}
	after, hasAfter := f.After.MS()
	before, hasBefore := f.Before.MS()
	if !hasBefore {
		before = math.MaxInt64
	}
	args := []any{f.League == "", f.League, !hasAfter, after, !hasBefore, before}
	var list []int32
	err := v.engine.query(ctx, matchQuery, args, func(rows *sql.Rows) error {
		var n int32
		err := rows.Scan(&n)
		list = append(list, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(list)
	v.matches.put(f, list, 4*cap(list)+len(f.League)+64)
	return list, nil
}
