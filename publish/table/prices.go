package table

import (
	"fmt"
	"io"
	"iter"
	"unsafe"

	"mkt/publish/table/columnar"
)

// PricesOfFixtures iterates over the remaining rows of some fixtures. It does not read pages that have none of
// them. A row and its selections are valid until the next row.
func PricesOfFixtures(r *Reader[PriceRow], wanted func(fixtureID string) bool) iter.Seq2[*PriceRow, error] {
	return func(yield func(*PriceRow, error) bool) {
		rows := make([]PriceRow, batchRows)
		c, err := r.cursor()
		for err == nil {
			var n int
			n, err = pricesOf(c, rows, wanted)
			for i := range rows[:n] {
				if !yield(&rows[i], nil) {
					return
				}
			}
		}
		if err != io.EOF {
			yield(nil, err)
		}
	}
}

// pricesOf fills rows with the next rows of one fixture that is wanted. It returns [io.EOF] after the last
// one.
func pricesOf(c *columnar.Cursor, rows []PriceRow, wanted func(fixtureID string) bool) (n int, err error) {
	defer columnar.Recovered("markets", &err)
	for n == 0 && !c.Done() {
		id := c.Fixture()
		run := c.Run(id, 1)
		if !wanted(id) {
			err = c.Skip(run)
		} else {
			run = min(run, len(rows))
			clear(rows[:run])
			if err = c.Fill(unsafe.Pointer(unsafe.SliceData(rows)), run); err == nil {
				n = run
			}
		}
		if err == nil {
			err = c.Advance()
		}
		if err != nil {
			return n, fmt.Errorf("table markets: %w", err)
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
