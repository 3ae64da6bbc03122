package snapshot

import (
	"errors"
	"fmt"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// LiveFolder returns a folder with the live tables of a publication, whose header names its files: its snapshot, or,
// if that was deleted, its canonical cycle, which is kept longer for one cycle of each hour. The error is
// [fs.ErrNotExist] if there is neither. A cycle that was transformed again may have other rows than the publication:
// only the fixtures_root of the commit tells.
func LiveFolder(f durable.ReadFS, c Commit) (dir string, m Manifest, err error) {
	kept, err := IsKept(f, c)
	if err != nil {
		return "", m, err
	}
	if kept {
		m, err = Open(f, c)
		return c.Dir(), m, err
	}
	m, _, err = OpenCanonical(f, c.CycleID)
	return layout.Cycle(layout.CanonicalDir, c.CycleID), m, err
}

// LiveRows iterates over the fixtures of a folder with live tables, in the order of live.parquet, each with all of
// its rows. The files must have been verified. Rows of a fixture that live.parquet lacks are [ErrDamaged].
func LiveRows(f durable.ReadFS, dir string) iter.Seq2[*content.LiveRows, error] {
	return func(yield func(*content.LiveRows, error) bool) {
		counters := rowsByFixture(f, dir+"/"+layout.LiveCountersFile, func(r *table.LiveCounterRow) string { return r.FixtureID })
		timeline := rowsByFixture(f, dir+"/"+layout.LiveTimelineFile, func(r *table.LiveTimelineRow) string { return r.FixtureID })
		buckets := rowsByFixture(f, dir+"/"+layout.LiveBucketsFile, func(r *table.LiveBucketRow) string { return r.FixtureID })
		periods := rowsByFixture(f, dir+"/"+layout.LivePeriodsFile, func(r *table.LivePeriodRow) string { return r.FixtureID })
		defer counters.stop()
		defer timeline.stop()
		defer buckets.stop()
		defer periods.stop()
		for row, err := range Rows[table.LiveRow](f, dir+"/"+layout.LiveFile) {
			if err != nil {
				yield(nil, err)
				return
			}
			all := content.LiveRows{Fixture: *row, Counters: counters.of(row.FixtureID), Timeline: timeline.of(row.FixtureID),
				Buckets: buckets.of(row.FixtureID), Periods: periods.of(row.FixtureID)}
			if err := errors.Join(counters.err, timeline.err, buckets.err, periods.err); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&all, nil) {
				return
			}
		}
		if err := errors.Join(counters.end(), timeline.end(), buckets.end(), periods.end()); err != nil {
			yield(nil, err)
		}
	}
}

// fixtureRows are the rows of a table, fixture by fixture.
type fixtureRows[T table.Row] struct {
	name string
	id   func(*T) string
	next func() (*T, error, bool)
	stop func()
	row  *T // the next one; nil at the end
	err  error
}

func rowsByFixture[T table.Row](f durable.ReadFS, name string, id func(*T) string) *fixtureRows[T] {
	r := &fixtureRows[T]{name: name, id: id}
	r.next, r.stop = iter.Pull2(Rows[T](f, name))
	r.advance()
	return r
}

func (r *fixtureRows[T]) advance() {
	var found bool
	if r.row, r.err, found = r.next(); !found || r.err != nil {
		r.row = nil
	}
}

// of returns the rows of the next fixture. Rows before them are damage.
func (r *fixtureRows[T]) of(fixture string) (rows []T) {
	for r.row != nil && r.id(r.row) == fixture {
		rows = append(rows, *r.row)
		r.advance()
	}
	if r.row != nil && r.id(r.row) < fixture {
		r.err = r.end()
	}
	return rows
}

// end returns an error if rows are left.
func (r *fixtureRows[T]) end() error {
	if r.row != nil {
		return fmt.Errorf("%s: %w: rows of %s, which %s lacks", r.name, ErrDamaged, r.id(r.row), layout.LiveFile)
	}
	return r.err
}
