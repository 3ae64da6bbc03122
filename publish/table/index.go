package table

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"mkt/publish/table/parquetfile"
)

// Index finds the rows of single markets in a table of steps, again and again: it has in memory which
// rows every market has, and where their pages are. Reading a market that the table has costs a page
// of each column, and one that it does not have costs nothing. Safe for concurrent use.
type Index struct {
	groups   []parquetfile.Group
	fixtures []indexedFixture // in the order of their ids
	markets  []indexedMarket  // of one fixture after the other, in the order of their ids
	rows     int64
	memory   atomic.Int64
	readers  [2]sync.Pool // of *rowReader, see newReader
	new      [2]func() *rowReader
}

// indexedFixture is a fixture with the end of its markets.
type indexedFixture struct {
	id  string
	end int
}

// indexedMarket is a market with its first row.
type indexedMarket struct {
	hash uint32
	row  uint32
}

var indexSeed = maphash.MakeSeed()

// indexHash is the hash of the id of a market; 0 is that of the fixture's own rows.
func indexHash(market string) uint32 {
	if market == "" {
		return 0
	}
	return uint32(maphash.String(indexSeed, market)) | 1
}

// The columns that rows are read with.
const (
	allColumns = iota
	fewColumns
)

// The columns of steps that [Index.AppendRows] never reads, and those that it reads only if it is asked
// for whole rows.
var (
	notIndexed = []string{"fixture_id", "version", "processed_at", "home", "away", "league", "subject"}
	notInFew   = []string{"starts_at", "market", "market_name", "period", "selection", "qualifier"}
)

// NewIndex reads the keys of a table of steps.
func NewIndex(r io.ReaderAt, size int64) (_ *Index, err error) {
	rows, err := NewReader[StepRow](r, size)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	defer recovered(rows.spec.name, &err)
	x := &Index{rows: rows.Len()}
	if x.rows > 1<<32-1 {
		return nil, fmt.Errorf("table %s: %d rows: %w", rows.spec.name, x.rows, ErrFormat)
	}
	if err := x.addKeys(rows.rows); err != nil {
		return nil, err
	}
	x.memory.Add(64*int64(len(x.fixtures)) + int64(unsafe.Sizeof(indexedMarket{}))*int64(len(x.markets)))
	var columns []int
	for i := range rows.rows.columns {
		if c := &rows.rows.columns[i]; !slices.Contains(notIndexed, c.Leaf.Name) {
			columns = append(columns, c.Column())
		}
	}
	if x.groups, err = parquetfile.Keep(rows.rows.groups, columns, &x.memory); err != nil {
		return nil, err
	}
	all := rows.rows
	for i, without := range [2][]string{notIndexed, slices.Concat(notIndexed, notInFew)} {
		x.new[i] = func() *rowReader { return all.like(x.groups, without) }
	}
	return x, nil
}

// like returns a reader of the same table without some columns.
func (r *rowReader) like(groups []parquetfile.Group, without []string) *rowReader {
	l := &rowReader{name: r.name, size: r.size, groups: groups}
	for i := range r.columns {
		c := &r.columns[i]
		if !slices.Contains(without, c.Leaf.Name) {
			l.columns = append(l.columns, columnReader{ColumnReader: parquetfile.NewColumnReader(c.Leaf, c.Column(), nil), slot: c.slot, lists: c.lists})
		}
	}
	return l
}

// addKeys reads the columns of fixtures and markets.
func (x *Index) addKeys(r *rowReader) error {
	fixtures, err := r.one("fixture_id")
	if err != nil {
		return err
	}
	markets, err := r.one("market_id")
	if err != nil {
		return err
	}
	if fixtures.Leaf.MaxDef > 0 || markets.Leaf.MaxDef > 0 {
		return ErrFormat
	}
	row, fixture, market := uint32(0), "", ""
	for i := range r.groups {
		fixtures.Open(&r.groups[i])
		markets.Open(&r.groups[i])
		for range r.groups[i].Rows {
			if err := errors.Join(fixtures.Next(), markets.Next()); err != nil {
				return err
			}
			f, m := fixtures.Texts[fixtures.Take()], markets.Texts[markets.Take()]
			fixtures.At++
			markets.At++
			if f != fixture || row == 0 {
				x.fixtures = append(x.fixtures, indexedFixture{id: strings.Clone(f)})
			}
			if f != fixture || m != market || row == 0 {
				x.markets = append(x.markets, indexedMarket{indexHash(m), row})
			}
			x.fixtures[len(x.fixtures)-1].end = len(x.markets)
			fixture, market = f, m
			row++
		}
	}
	x.fixtures, x.markets = slices.Clip(x.fixtures), slices.Clip(x.markets)
	if !slices.IsSortedFunc(x.fixtures, func(a, b indexedFixture) int { return strings.Compare(a.id, b.id) }) {
		return fmt.Errorf("the fixtures are not in order: %w", ErrFormat)
	}
	return nil
}

// Memory returns how many bytes of memory the index has. It grows with the dictionaries that are read.
func (x *Index) Memory() int { return int(x.memory.Load()) }

// find returns the markets of a fixture that have the hash of a market: nearly always one or none.
func (x *Index) find(fixture, market string) (found []int) {
	i, isThere := slices.BinarySearchFunc(x.fixtures, fixture, func(f indexedFixture, id string) int { return strings.Compare(f.id, id) })
	if !isThere {
		return nil
	}
	begin, hash := 0, indexHash(market)
	if i > 0 {
		begin = x.fixtures[i-1].end
	}
	for k := begin; k < x.fixtures[i].end; k++ {
		if x.markets[k].hash == hash {
			found = append(found, k)
		}
	}
	return found
}

// Has reports whether the table may have rows of a market, or, if market is "", of a fixture itself. It
// errs by one market in thousands of millions.
func (x *Index) Has(fixture, market string) bool { return len(x.find(fixture, market)) > 0 }

// AppendRows appends the rows of a market, or those of a fixture itself if market is "", which it reads
// from the table's file. It leaves out the columns that no path needs, and, unless whole, those that
// say what a market and a selection are.
func (x *Index) AppendRows(to []StepRow, file io.ReaderAt, fixture, market string, whole bool) (_ []StepRow, err error) {
	defer recovered("steps", &err)
	found := x.find(fixture, market)
	if len(found) == 0 {
		return to, nil
	}
	kind := fewColumns
	if whole {
		kind = allColumns
	}
	r, _ := x.readers[kind].Get().(*rowReader)
	if r == nil {
		r = x.new[kind]()
	}
	r.use(parquetfile.NewSource(file))
	defer r.close()
	for _, k := range found {
		first, end := int64(x.markets[k].row), x.rows
		if k+1 < len(x.markets) {
			end = int64(x.markets[k+1].row)
		}
		at := len(to)
		to = slices.Grow(to, int(end-first))[:at+int(end-first)]
		clear(to[at:])
		err := r.seek(first)
		if err == nil {
			_, err = r.read(unsafe.Pointer(&to[at]), int(end-first))
		}
		if err != nil {
			return to[:at], fmt.Errorf("table steps: row %d: %w", first, err)
		}
		if to[at].MarketID != market { // another one with the same hash
			to = to[:at]
		}
		for i := range to[at:] {
			to[at+i].FixtureID = fixture
		}
	}
	x.readers[kind].Put(r)
	return to, nil
}

// use sets the file that the columns are read from.
func (r *rowReader) use(in *parquetfile.Source) {
	r.source = in
	for i := range r.columns {
		r.columns[i].Use(in)
	}
}
