package table

import (
	"fmt"
	"io"
	"iter"
	"unsafe"
)

// PriceRow is the part of a [MarketRow] in which steps may differ. It is read from files of
// markets and never written.
type PriceRow struct {
	FixtureID  string              `parquet:"fixture_id,dict" means:"as in MarketRow"`
	MarketID   string              `parquet:"market_id" means:"as in MarketRow"`
	Market     *string             `parquet:"market,optional,dict" means:"as in MarketRow"`
	MarketName *string             `parquet:"market_name,optional,dict" means:"as in MarketRow"`
	Period     *string             `parquet:"period,optional,dict" means:"as in MarketRow"`
	Selections []PriceSelectionRow `parquet:"selections,list"`
}

// PriceSelectionRow is the part of a [SelectionRow] in which steps may differ.
type PriceSelectionRow struct {
	SelectionID     string   `parquet:"selection_id" means:"as in SelectionRow"`
	Selection       *string  `parquet:"selection,optional,dict" means:"as in SelectionRow"`
	Line            *string  `parquet:"line,optional,dict" means:"as in SelectionRow"`
	Qualifier       *string  `parquet:"qualifier,optional,dict" means:"as in SelectionRow"`
	OddsFractional  *string  `parquet:"odds_fractional,optional,dict" means:"as in SelectionRow"`
	OddsDecimalText *string  `parquet:"odds_decimal_text,optional,dict" means:"as in SelectionRow"`
	Subject         *string  `parquet:"subject,optional,dict" means:"as in SelectionRow"`
	Publishable     bool     `parquet:"publishable" means:"as in SelectionRow"`
	Reasons         []string `parquet:"reasons,list,dict" means:"as in SelectionRow"`
	Absent          []string `parquet:"absent,list,dict" means:"as in SelectionRow"`
}

// PricesOf iterates over the remaining rows of some fixtures. It does not read pages that have none of
// them. A row and its selections are valid until the next row.
func PricesOf(r *Reader[PriceRow], wanted func(fixtureID string) bool) iter.Seq2[*PriceRow, error] {
	return func(yield func(*PriceRow, error) bool) {
		rows := make([]PriceRow, batchRows)
		c, err := newCursor(r)
		for err == nil {
			var n int
			n, err = c.pricesOf(rows, wanted)
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
func (c *cursor) pricesOf(rows []PriceRow, wanted func(fixtureID string) bool) (n int, err error) {
	defer recovered("markets", &err)
	for n == 0 && !c.done() {
		id := c.fixture()
		run := c.run(id, 1)
		if !wanted(id) {
			err = c.rows.skip(run)
		} else {
			run = min(run, len(rows))
			clear(rows[:run])
			c.rows.reuse()
			if err = c.rows.fill(unsafe.Pointer(unsafe.SliceData(rows)), run); err == nil {
				c.rows.left -= int64(run)
				n = run
			}
		}
		if err == nil {
			err = c.fill()
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
