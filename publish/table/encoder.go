package table

import (
	"cmp"
	"fmt"
	"slices"

	"mkt/publish/football"
)

// Encoder encodes the rows of one fixture after the other. Fixtures can be encoded concurrently
// and in any order, each Encoder by one goroutine. [Writer.WriteEncoded] then writes them in
// order. The zero value is ready for use.
type Encoder struct {
	columns *columns
	digest  digester
	arena   arena
	order   []int
	rows    []MarketRow
	encoded []byte
}

// Fixture returns the row of a fixture with its content digest, and the encoded rows of its
// markets. derivation is the version of the rules that derived the markets, which may be in any
// order. The bytes are valid until the next call, and mean nothing to another build.
func (e *Encoder) Fixture(f football.Fixture, derivation string, markets []football.Market) (row FixtureRow, encoded []byte, err error) {
	if e.columns == nil {
		e.columns = newColumns(specOf[MarketRow]())
	}
	e.columns.reset()
	row = FixtureOf(f, len(markets), "")
	e.digest.begin(row)
	clear(e.rows) // they would keep the payload before in memory
	e.order, e.rows = e.order[:0], e.rows[:0]
	e.arena.reset()
	for i := range markets {
		e.order = append(e.order, i)
	}
	slices.SortFunc(e.order, func(a, b int) int { return cmp.Compare(markets[a].ID, markets[b].ID) })
	for n, i := range e.order {
		if n > 0 && markets[i].ID == markets[e.order[n-1]].ID {
			return row, nil, fmt.Errorf("table %s: fixture %s has the market %s twice", e.columns.spec.name, f.ID, markets[i].ID)
		}
		e.rows = append(e.rows, e.arena.marketOf(f.ID, derivation, &markets[i]))
		e.digest.market(&e.rows[n])
	}
	shred(e.columns, marketSlots, rowsOf(e.rows))
	e.columns.rows = len(markets)
	row.ContentDigest = e.digest.sum()
	e.encoded = e.columns.appendTo(e.encoded[:0])
	return row, e.encoded, nil
}

// WriteEncoded adds the rows of a fixture as returned by [Encoder.Fixture].
func (w *Writer[T]) WriteEncoded(fixtureID string, encoded []byte) error {
	if w.encoded == nil {
		w.encoded = newColumns(w.spec)
	}
	if err := w.encoded.load(encoded); err != nil {
		return fmt.Errorf("table %s: fixture %s: %w", w.spec.name, fixtureID, err)
	}
	if w.encoded.rows == 0 {
		return nil
	}
	if err := w.begin(key{first: fixtureID}); err != nil {
		return err
	}
	for i := range w.rows.leaves {
		to, from := &w.rows.leaves[i], &w.encoded.leaves[i]
		to.bytes = append(to.bytes, from.bytes...)
		to.counts.add(from.counts)
	}
	return w.added(w.encoded.rows)
}
