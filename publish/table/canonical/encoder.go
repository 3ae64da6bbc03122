package canonical

import (
	"cmp"
	"fmt"
	"slices"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/columnar"
	"mkt/publish/table/content"
)

// Encoder encodes the rows of one fixture after the other. Fixtures can be encoded concurrently
// and in any order, each Encoder by one goroutine. [table.Writer.WriteEncoded] then writes them in
// order. The zero value is ready for use.
type Encoder struct {
	columns *columnar.Columns
	digest  content.Digester
	arena   arena
	order   []int
	rows    []table.MarketRow
	encoded []byte
}

// Fixture returns the row of a fixture with its content digest, and the encoded rows of its
// markets. derivation is the version of the rules that derived the markets, which may be in any
// order. The bytes are valid until the next call, and mean nothing to another build.
func (e *Encoder) Fixture(f football.Fixture, derivation string, markets []football.Market) (row table.FixtureRow, encoded []byte, err error) {
	if e.columns == nil {
		e.columns = columnar.NewColumns(table.LayoutOf[table.MarketRow]())
	}
	e.columns.Reset()
	row = Fixture(f, len(markets), "")
	e.digest.Begin(row)
	clear(e.rows) // they would keep the payload before in memory
	e.order, e.rows = e.order[:0], e.rows[:0]
	e.arena.reset()
	for i := range markets {
		e.order = append(e.order, i)
	}
	slices.SortFunc(e.order, func(a, b int) int { return cmp.Compare(markets[a].ID, markets[b].ID) })
	for n, i := range e.order {
		if n > 0 && markets[i].ID == markets[e.order[n-1]].ID {
			return row, nil, fmt.Errorf("table markets: fixture %s has the market %s twice", f.ID, markets[i].ID)
		}
		e.rows = append(e.rows, e.arena.marketOf(f.ID, derivation, &markets[i]))
		e.digest.Add(&e.rows[n])
	}
	e.columns.Add(columnar.RowsOf(e.rows))
	row.ContentDigest = e.digest.Sum()
	e.encoded = e.columns.AppendTo(e.encoded[:0])
	return row, e.encoded, nil
}
