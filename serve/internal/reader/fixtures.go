package reader

import (
	"context"
	"math"
	"slices"
	"sort"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"mkt/serve/internal/reader/duck"
)

// FixtureFilter selects fixtures of the list. Its zero value selects all. A fixture
// without a field that the filter asks about is not selected.
type FixtureFilter struct {
	League string // the league's name contains it; folded with FoldCase
	After  Instant
	Before Instant
}

// Instant is an optional bound in time. Its zero value is no bound.
type Instant struct {
	set bool
	ms  int64
}

// At returns the bound at a time in Unix milliseconds.
func At(ms int64) Instant { return Instant{true, ms} }

// MS returns the bound in Unix milliseconds and reports whether there is one.
func (i Instant) MS() (ms int64, ok bool) { return i.ms, i.set }

// FixtureItem is a fixture of a page. Its bytes are valid only until the callback returns.
type FixtureItem struct{ ID, Body []byte }

func (v *View) FilteredCount(ctx context.Context, f FixtureFilter) (int, error) {
	if f == (FixtureFilter{}) {
		return v.FixtureCount(), nil
	}
	matches, err := v.matching(ctx, f)
	return len(matches), err
}

// Fixtures calls do with at most limit fixtures that the filter selects and whose ids
// follow after, in the order of their ids. An empty after starts with the first one.
// more reports whether further fixtures follow.
func (v *View) Fixtures(ctx context.Context, f FixtureFilter, after string, limit int, do func(FixtureItem)) (more bool, err error) {
	from := v.index.after(after)
	item := func(_ int, e *entry) bool {
		do(FixtureItem{e.key, e.body})
		return true
	}
	if f == (FixtureFilter{}) {
		to := min(from+limit, v.FixtureCount())
		return to < v.FixtureCount(), v.each(ctx, fixtureChunks, span{from: from, to: to, batch: batchOf(limit + chunkRows)}, item)
	}
	matches, err := v.matching(ctx, f)
	if err != nil {
		return false, err
	}
	rest := matches[sort.Search(len(matches), func(i int) bool { return int(matches[i]) >= from }):]
	page := rest[:min(limit, len(rest))]
	return len(page) < len(rest), v.pick(ctx, fixtureChunks, page, item)
}

// FixtureBody calls do with the two parts of a fixture's JSON, which are valid only
// until do returns.
func (v *View) FixtureBody(ctx context.Context, f Fixture, do func(body, detail []byte)) error {
	return v.each(ctx, fixtureChunks, span{from: f.n, to: f.n + 1, batch: 1}, func(_ int, e *entry) bool {
		do(e.body, e.detail)
		return false
	})
}

const matchQuery = `SELECT n FROM d.fixture
WHERE (? OR contains(league, ?)) AND (? OR starts_at >= ?) AND (? OR starts_at < ?)`

// matching returns the numbers of the fixtures that the filter selects, in ascending
// order. The result is cached, because a snapshot does not change.
func (v *View) matching(ctx context.Context, f FixtureFilter) ([]int32, error) {
	if list, ok := v.matches.Get(f); ok {
		return list, nil
	}
	after, hasAfter := f.After.MS()
	before, hasBefore := f.Before.MS()
	if !hasBefore {
		before = math.MaxInt64
	}
	args := []any{f.League == "", f.League, !hasAfter, after, !hasBefore, before}
	var list []int32
	err := v.engine.query(ctx, matchQuery, args, func(row duck.Row) error {
		list = append(list, row.Int32(0))
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(list)
	v.matches.Put(f, list, 4*cap(list)+len(f.League)+64)
	return list, nil
}

// FoldCase returns s in a form in which texts are equal if they differ only in case
// or in the encoding of their accents (Unicode full case folding). It is applied to
// stored values and to those that clients send.
func FoldCase(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
