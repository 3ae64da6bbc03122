package table

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Source is the table that the rows of a fixture are taken from.
type Source uint8

const (
	Neither Source = iota // the fixture is left out
	Old
	New
)

// Merge merges two tables, both sorted by fixture, into one. It takes the rows of
// each fixture from the table that choose returns. Rows are copied without being
// read into the model. Either table may be nil.
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
		id = string([]byte(id)) // the cursor reuses its memory
		source := choose(id)
		if err := a.fixtureRows(id, source == Old, w.copyRows); err != nil {
			return err
		}
		if err := b.fixtureRows(id, source == New, w.copyRows); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer[T]) copyRows(rows []parquet.Row) error {
	for _, row := range rows {
		if err := w.begin(w.keyOfRow(row)); err != nil {
			return err
		}
		feed(w.rows, row)
		if err := w.added(1); err != nil {
			return err
		}
	}
	return nil
}

// keyOfRow returns a copy of the sort columns, which come first in every table. The
// row's memory is reused.
func (w *Writer[T]) keyOfRow(row parquet.Row) key {
	k := key{first: string(row[0].ByteArray())}
	if len(w.spec.sorting) > 1 {
		k.second = string(row[1].ByteArray())
	}
	return k
}

// cursor iterates over the rows of a table, one fixture at a time.
type cursor struct {
	read func([]parquet.Row) (int, error)
	rows []parquet.Row
	at   int
	end  int
	eof  bool
}

func newCursor[T Row](r *Reader[T]) (*cursor, error) {
	if r == nil {
		return &cursor{eof: true}, nil
	}
	c := &cursor{read: parquet.NewGenericReader[T](r.file).ReadRows, rows: make([]parquet.Row, batchRows)}
	return c, c.fill()
}

// fill reads the next rows when there are none left.
func (c *cursor) fill() error {
	for c.at == c.end && !c.eof {
		n, err := c.read(c.rows)
		c.at, c.end = 0, n
		if err != nil && err != io.EOF {
			return err
		}
		c.eof = err == io.EOF
	}
	return nil
}

func (c *cursor) done() bool { return c.at == c.end }

// fixture returns the fixture of the next row. It is valid until the next fill.
func (c *cursor) fixture() string {
	if c.done() {
		return ""
	}
	return view(c.rows[c.at][0].ByteArray())
}

// fixtureRows calls do with the rows of a fixture, if they are next. It skips them if
// they are not wanted.
func (c *cursor) fixtureRows(id string, wanted bool, do func([]parquet.Row) error) error {
	for !c.done() && c.fixture() == id {
		first := c.at
		for c.at < c.end && c.fixture() == id {
			c.at++
		}
		if wanted {
			if err := do(c.rows[first:c.at]); err != nil {
				return err
			}
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
