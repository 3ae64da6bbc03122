package columnar

import (
	"fmt"
	"io"
	"math"
	"unsafe"

	"mkt/publish/table/parquetfile"
)

// Cursor iterates over the rows of a table, one fixture at a time.
type Cursor struct {
	rows *Reader // nil after the last row
}

// NewCursor returns a cursor of a table that is sorted by its first columns, as many as sorting. r is nil for a table without
// rows.
func NewCursor(l *Layout, r *Reader, sorting int) (_ *Cursor, err error) {
	if r == nil {
		return &Cursor{}, nil
	}
	defer Recovered(l.Name, &err)
	for i := range sorting {
		if c := &r.columns[i]; c.slot.Leaf != i || c.Leaf.MaxDef > 0 {
			return nil, fmt.Errorf("column %s: %w", l.Leaves[i].Name, parquetfile.ErrFormat)
		}
	}
	r.ahead = sorting
	c := &Cursor{r}
	return c, c.Advance()
}

// Advance prepares the sorting columns for the next row. It is called after rows were read.
func (c *Cursor) Advance() error {
	err := c.rows.Next()
	if err == io.EOF {
		c.rows = nil
		return nil
	}
	for i := 0; i < c.rows.ahead && err == nil; i++ {
		err = c.rows.columns[i].Next()
	}
	return err
}

// Done reports whether there is no further row.
func (c *Cursor) Done() bool { return c.rows == nil }

// Fixture returns the fixture of the next row.
func (c *Cursor) Fixture() string {
	if c.Done() {
		return ""
	}
	return c.rows.columns[0].PeekText(0)
}

// Run returns the number of next rows of one fixture, within the current pages of the sorting
// columns.
func (c *Cursor) Run(id string, sorting int) int {
	most := int(min(c.rows.left, math.MaxInt32))
	for i := range sorting {
		most = min(most, c.rows.columns[i].Entries-c.rows.columns[i].At)
	}
	n := 1
	for n < most && c.rows.columns[0].PeekText(n) == id {
		n++
	}
	return n
}

// Text returns the text of a sorting column n rows ahead, within the rows that Run returned.
func (c *Cursor) Text(column, n int) string { return c.rows.columns[column].PeekText(n) }

// Skip skips the next n rows.
func (c *Cursor) Skip(n int) error { return c.rows.skip(n) }

// Copy adds the next n rows to columns.
func (c *Cursor) Copy(to *Columns, n int) error { return c.rows.Copy(to, n) }

// Fill fills the next n rows in memory. It uses the memory of the nested rows again that it filled before.
func (c *Cursor) Fill(rows unsafe.Pointer, n int) error {
	c.rows.reuse()
	if err := c.rows.fill(rows, n); err != nil {
		return err
	}
	c.rows.left -= int64(n)
	return nil
}
