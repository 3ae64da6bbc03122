package table

import (
	"fmt"

	"mkt/publish/table/columnar"
)

// MergeSource is the table from which the rows of a fixture are taken.
type MergeSource uint8

const (
	FromNeither MergeSource = iota // the fixture is left out
	FromOld
	FromNew
)

// Merge merges two tables, both sorted by fixture, into one. choose returns the table for the
// rows of each fixture. Rows are copied without being read into the model. Either table may be
// nil.
func Merge[T FixtureRow | MarketRow](w *Writer[T], old, new *Reader[T], choose func(fixtureID string) MergeSource) (err error) {
	defer columnar.Recovered(w.spec.Name, &err)
	a, err := old.cursor()
	if err != nil {
		return err
	}
	b, err := new.cursor()
	if err != nil {
		return err
	}
	for !a.Done() || !b.Done() {
		id := a.Fixture()
		if a.Done() || !b.Done() && b.Fixture() < id {
			id = b.Fixture()
		}
		source := choose(id)
		if err := w.copyFixture(a, id, source == FromOld); err != nil {
			return err
		}
		if err := w.copyFixture(b, id, source == FromNew); err != nil {
			return err
		}
	}
	return nil
}

// copyFixture writes the rows of a fixture if they come next, or skips them if they are not
// wanted.
func (w *Writer[T]) copyFixture(c *columnar.Cursor, id string, wanted bool) error {
	for !c.Done() && c.Fixture() == id {
		n := c.Run(id, len(w.spec.sorting))
		do := c.Skip
		if wanted {
			do = func(n int) error { return w.copyRows(c, id, n) }
		}
		if err := do(n); err != nil {
			return err
		}
		if err := c.Advance(); err != nil {
			return err
		}
	}
	if !c.Done() && c.Fixture() < id {
		return fmt.Errorf("the table is not sorted: fixture %s follows %s", c.Fixture(), id)
	}
	return nil
}

// copyRows writes the next rows, which are of one fixture.
func (w *Writer[T]) copyRows(c *columnar.Cursor, id string, n int) error {
	for i := range n {
		next := key{first: id}
		if len(w.spec.sorting) > 1 {
			next.second = c.Text(1, i)
		}
		if err := w.begin(next); err != nil {
			return err
		}
	}
	if err := c.Copy(w.rows, n); err != nil {
		return err
	}
	return w.added(n)
}
