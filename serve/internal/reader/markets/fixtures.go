package markets

import (
	"context"
	"database/sql"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"mkt/serve/internal/reader/engine"
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

// InstantAt returns the bound at a time in Unix milliseconds.
func InstantAt(ms int64) Instant { return Instant{true, ms} }

// MS returns the bound in Unix milliseconds and reports whether there is one.
func (i Instant) MS() (ms int64, ok bool) { return i.ms, i.set }

const (
	filteredFixtures = ` FROM d.fixture WHERE ($1 = '' OR contains(league, $1)) AND ($2 OR starts_at >= $3) AND ($4 OR starts_at < $5) `

	fixtureCount    = `SELECT count(*)` + filteredFixtures
	fixturePage     = `SELECT id, body` + filteredFixtures + `AND n BETWEEN $6 AND $7 ORDER BY n LIMIT $8`
	fixtureByNumber = `SELECT id, body FROM d.fixture WHERE n = $1 LIMIT $2`
)

func (f FixtureFilter) args() []any {
	after, hasAfter := f.After.MS()
	before, hasBefore := f.Before.MS()
	return []any{f.League, !hasAfter, after, !hasBefore, before}
}

// FilteredCount returns how many fixtures the filter selects.
func (t *Tables) FilteredCount(ctx context.Context, f FixtureFilter) (count int, err error) {
	if f == (FixtureFilter{}) {
		return t.FixtureCount(), nil
	}
	err = t.engine.Query(ctx, fixtureCount, f.args(), func(r *sql.Rows) error { return r.Scan(&count) })
	return count, err
}

// Fixtures calls do with at most limit fixtures that the filter selects and whose ids
// follow after, in the order of their ids. An empty after starts with the first one.
// more reports whether further fixtures follow.
func (t *Tables) Fixtures(ctx context.Context, f FixtureFilter, after string, limit int, do engine.Item) (more bool, err error) {
	from, to := t.index.after(after), t.FixtureCount()
	if f == (FixtureFilter{}) {
		to = min(to, from+limit) // all are selected, so no more need to be read
	}
	return t.engine.Page(ctx, fixturePage, append(f.args(), from, to), limit, do)
}

// Fixture calls do with a fixture.
func (t *Tables) Fixture(ctx context.Context, f Fixture, do engine.Item) error {
	_, err := t.engine.Page(ctx, fixtureByNumber, []any{f.n}, 1, do)
	return err
}

// FoldCase returns s in a form in which texts are equal if they differ only in case
// or in the encoding of their accents (Unicode full case folding). It is applied to
// stored values and to those that clients send.
func FoldCase(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
