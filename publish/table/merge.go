package table

import (
	"fmt"
	"io"
	"math"
)

// Source is the table from which the rows of a fixture are taken.
type Source uint8

const (
	Neither Source = iota // the fixture is left out
	Old
	New
)

// Merge merges two tables, both sorted by fixture, into one. choose returns the table for the
// rows of each fixture. Rows are copied without being read into the model. Either table may be
// nil.
func Merge[T FixtureRow | MarketRow](w *Writer[T], old, new *Reader[T], choose func(fixtureID string) Source) (err error) {
	defer recovered(w.spec.name, &err)
	a, err := newCursor(old)
	if err != nil {
		return err
	}
	b, err := newCursor(new)
	if err != nil {
		return err
	}
	for !a.done() || !b.done() {
		id := a.fixture()
		if a.done() || !b.done() && b.fixture() < id {
			id = b.fixture()
		}
		source := choose(id)
		if err := w.copyFixture(a, id, source == Old); err != nil {
			return err
		}
		if err := w.copyFixture(b, id, source == New); err != nil {
			return err
		}
	}
	return nil
}

// cursor iterates over the rows of a table, one fixture at a time.
type cursor struct {
	rows *rowReader // nil after the last row
}

func newCursor[T Row](r *Reader[T]) (_ *cursor, err error) {
	if r == nil {
		return &cursor{}, nil
	}
	defer recovered(r.spec.name, &err)
	for i := range r.spec.sorting {
		if c := &r.rows.columns[i]; c.slot.leaf != i || c.Leaf.MaxDef > 0 {
			return nil, fmt.Errorf("column %s: %w", r.spec.leaves[i].Name, ErrFormat)
		}
	}
	r.rows.ahead = len(r.spec.sorting)
	c := &cursor{r.rows}
	return c, c.fill()
}

// fill prepares the sorting columns for the next row.
func (c *cursor) fill() error {
	err := c.rows.next()
	if err == io.EOF {
		c.rows = nil
		return nil
	}
	for i := 0; i < c.rows.ahead && err == nil; i++ {
		err = c.rows.columns[i].Next()
	}
	return err
}

func (c *cursor) done() bool { return c.rows == nil }

// fixture returns the fixture of the next row.
func (c *cursor) fixture() string {
	if c.done() {
		return ""
	}
	return c.rows.columns[0].Ahead(0)
}

// run returns the number of next rows of one fixture, within the current pages of the sorting
// columns.
func (c *cursor) run(id string, sorting int) int {
	most := int(min(c.rows.left, math.MaxInt32))
	for i := range sorting {
		most = min(most, c.rows.columns[i].Entries-c.rows.columns[i].At)
	}
	n := 1
	for n < most && c.rows.columns[0].Ahead(n) == id {
		n++
	}
	return n
}

// copyFixture writes the rows of a fixture if they come next, or skips them if they are not
// wanted.
func (w *Writer[T]) copyFixture(c *cursor, id string, wanted bool) error {
	for !c.done() && c.fixture() == id {
		n := c.run(id, len(w.spec.sorting))
		do := c.rows.skip
		if wanted {
			do = func(n int) error { return w.copyRows(c, id, n) }
		}
		if err := do(n); err != nil {
			return err
		}
		if err := c.fill(); err != nil {
			return err
		}
	}
	if !c.done() && c.fixture() < id {
		return fmt.Errorf("the table is not sorted: fixture %s follows %s", c.fixture(), id)
	}
	return nil
}

// copyRows writes the next rows, which are of one fixture.
func (w *Writer[T]) copyRows(c *cursor, id string, n int) error {
	for i := range n {
		next := key{first: id}
		if len(w.spec.sorting) > 1 {
			next.second = c.rows.columns[1].Ahead(i)
		}
		if err := w.begin(next); err != nil {
			return err
		}
	}
	if err := c.rows.copy(w.rows, n); err != nil {
		return err
	}
	return w.added(n)
}
