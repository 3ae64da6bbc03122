package reader

import (
	"context"
	"database/sql"
	"errors"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
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

const (
	filteredFixtures = ` FROM d.fixture WHERE ($1 = '' OR contains(league, $1)) AND ($2 OR starts_at >= $3) AND ($4 OR starts_at < $5) `

	fixtureCount  = `SELECT count(*)` + filteredFixtures
	fixturePage   = `SELECT id, body` + filteredFixtures + `AND n BETWEEN $6 AND $7 ORDER BY n LIMIT $8`
	fixtureBodies = `SELECT body, detail FROM d.fixture WHERE n = $1`
)

func (f FixtureFilter) args() []any {
	after, hasAfter := f.After.MS()
	before, hasBefore := f.Before.MS()
	return []any{f.League, !hasAfter, after, !hasBefore, before}
}

// FilteredCount returns how many fixtures the filter selects.
func (v *View) FilteredCount(ctx context.Context, f FixtureFilter) (count int, err error) {
	if f == (FixtureFilter{}) {
		return v.FixtureCount(), nil
	}
	err = v.engine.query(ctx, fixtureCount, f.args(), func(r *sql.Rows) error { return r.Scan(&count) })
	return count, err
}

// Fixtures calls do with at most limit fixtures that the filter selects and whose ids
// follow after, in the order of their ids. An empty after starts with the first one.
// more reports whether further fixtures follow.
func (v *View) Fixtures(ctx context.Context, f FixtureFilter, after string, limit int, do func(FixtureItem)) (more bool, err error) {
	from, to := v.index.after(after), v.FixtureCount()
	if f == (FixtureFilter{}) {
		to = min(to, from+limit) // all are selected, so no more need to be read
	}
	return v.engine.page(ctx, fixturePage, append(f.args(), from, to), limit, func(id, body []byte) { do(FixtureItem{id, body}) })
}

// FixtureBody calls do with the two parts of a fixture's JSON, which are valid only
// until do returns.
func (v *View) FixtureBody(ctx context.Context, f Fixture, do func(body, detail []byte)) error {
	return v.engine.query(ctx, fixtureBodies, []any{f.n}, func(r *sql.Rows) error {
		var packed [2]sql.RawBytes
		if err := r.Scan(&packed[0], &packed[1]); err != nil {
			return err
		}
		body, err1 := unpack(nil, packed[0])
		detail, err2 := unpack(nil, packed[1])
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		do(body, detail)
		return nil
	})
}

// FoldCase returns s in a form in which texts are equal if they differ only in case
// or in the encoding of their accents (Unicode full case folding). It is applied to
// stored values and to those that clients send.
func FoldCase(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
