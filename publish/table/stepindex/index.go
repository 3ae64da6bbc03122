// Package stepindex finds the rows of single markets in a table of steps without reading the table again.
package stepindex

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"mkt/publish/table"
	"mkt/publish/table/columnar"
	"mkt/publish/table/parquetfile"
)

// Index finds the rows of single markets in a table of steps, again and again. It has in memory which
// rows every market has, where their pages are, which pages repeat one entry, and which publication every
// seq is of. So a few columns are left, and reading a market costs a page of each. A market that the table
// does not have costs nothing. Safe for concurrent use.
type Index struct {
	groups       []parquetfile.Group
	fixtures     []indexedFixture // in the order of their ids
	kickOffs     []KickOff        // of one fixture after the other
	markets      []uint64         // the hashes of the ids, of one fixture after the other
	first        []uint32         // of each of them, the first row
	publications []publication    // in the order of seq; nil if a row contradicts another one
	rows         int64
	memory       atomic.Int64
	columns      *columnar.Reader       // all that are read
	readers      [stepColumns]sync.Pool // of *indexReader
}

// indexedFixture is a fixture with the ends of its markets and of its kick-offs.
type indexedFixture struct {
	id            string
	end, kickOffs int
}

// KickOff is a row of a fixture itself, as far as a path needs it.
type KickOff struct {
	Seq             int64
	PublishedAt     time.Time
	CycleID         string
	Before, Present bool
	StartsAt        *time.Time
}

// publication is the publication of all rows with a seq from first to last.
type publication struct {
	first, last int64
	at          time.Time
	cycle       string
}

var indexSeed = maphash.MakeSeed()

// indexHash is the hash of the id of a market; 0 is that of the fixture's own rows. It has 63 bits and a
// random seed, so the ids of a market are not compared: two of a fixture never have the same hash in practice.
func indexHash(market string) uint64 {
	if market == "" {
		return 0
	}
	return maphash.String(indexSeed, market) | 1
}

// Columns says which columns of steps [Index.Rows] reads.
type Columns int

const (
	PathColumns     Columns = iota // all that a path needs
	PriceColumns                   // without those that say what a market and a selection are
	SelectionColumn                // selection_id alone
	kickOffColumns                 // those of rows of the fixture itself
	stepColumns
)

// Columns that are never read, that are not read if publications are known, and that often have the same
// entry in a whole page.
var (
	notIndexed    = []string{"fixture_id", "market_id", "version", "processed_at", "home", "away", "league", "subject"}
	ofPublication = []string{"published_at", "cycle_id"}
	oftenSame     = []string{"before", "present", "publishable", "reasons", "absent"}
)

// have reports whether a column is read.
func (c Columns) have(name string) bool {
	switch c {
	case PriceColumns:
		return !slices.Contains([]string{"starts_at", "market", "market_name", "period", "selection", "qualifier"}, name)
	case kickOffColumns:
		return slices.Contains([]string{"seq", "published_at", "cycle_id", "before", "present", "starts_at"}, name)
	case SelectionColumn:
		return name == "selection_id"
	}
	return true
}

// New reads the keys of a table of steps.
func New(r io.ReaderAt, size int64) (_ *Index, err error) {
	rows, err := table.NewReader[table.StepRow](r, size)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	defer columnar.Recovered("steps", &err)
	reader := rows.Columns()
	x := &Index{rows: rows.Len()}
	if x.rows > 1<<32-1 {
		return nil, fmt.Errorf("table steps: %d rows: %w", x.rows, table.ErrFormat)
	}
	if err := errors.Join(x.addKeys(reader), x.addPublications(reader)); err != nil {
		return nil, err
	}
	never := notIndexed
	if x.publications != nil {
		never = slices.Concat(never, ofPublication)
	}
	var columns []*parquetfile.ColumnReader
	for _, c := range reader.Columns() {
		if !slices.Contains(never, c.Leaf.Name) {
			columns = append(columns, c)
		}
	}
	x.memory.Add(72*int64(len(x.fixtures)) + 12*int64(len(x.markets)) + 64*int64(len(x.publications)))
	isOftenSame := func(l *parquetfile.Leaf) bool { return slices.Contains(oftenSame, l.Name) }
	if x.groups, err = parquetfile.IndexPages(reader.Groups(), columns, isOftenSame, &x.memory); err != nil {
		return nil, err
	}
	x.columns = reader.Subset(x.groups, func(name string) bool { return !slices.Contains(never, name) })
	if err := x.addKickOffs(r); err != nil {
		return nil, err
	}
	return x, nil
}

// addKickOffs reads the rows of the fixtures themselves. They are few, and every path of a fixture needs them.
func (x *Index) addKickOffs(file io.ReaderAt) error {
	add := func(rows []table.StepRow) {
		for i := range rows {
			r := &rows[i]
			x.kickOffs = append(x.kickOffs, KickOff{r.Seq, r.PublishedAt, r.CycleID, r.Before, r.Present, r.StartsAt})
		}
	}
	begin := 0
	for i := range x.fixtures {
		f := &x.fixtures[i]
		if x.markets[begin] == indexHash("") {
			if err := x.Rows(file, f.id, "", kickOffColumns, add); err != nil {
				return err
			}
		}
		begin, f.kickOffs = f.end, len(x.kickOffs)
	}
	x.kickOffs = slices.Clip(x.kickOffs)
	x.memory.Add(128 * int64(len(x.kickOffs)))
	return nil
}

// addKeys reads the columns of fixtures and markets.
func (x *Index) addKeys(r *columnar.Reader) error {
	fixtures, err := r.TextColumn("fixture_id")
	if err != nil {
		return err
	}
	markets, err := r.TextColumn("market_id")
	if err != nil {
		return err
	}
	if fixtures.Leaf.MaxDef > 0 || markets.Leaf.MaxDef > 0 {
		return table.ErrFormat
	}
	row, fixture, market := uint32(0), "", ""
	groups := r.Groups()
	for i := range groups {
		fixtures.Open(&groups[i])
		markets.Open(&groups[i])
		for range groups[i].Rows {
			if err := errors.Join(fixtures.Next(), markets.Next()); err != nil {
				return err
			}
			f, m := fixtures.Texts[fixtures.NextValue()], markets.Texts[markets.NextValue()]
			fixtures.At++
			markets.At++
			if f != fixture || row == 0 {
				x.fixtures = append(x.fixtures, indexedFixture{id: strings.Clone(f)})
			}
			if f != fixture || m != market || row == 0 {
				x.markets, x.first = append(x.markets, indexHash(m)), append(x.first, row)
			}
			x.fixtures[len(x.fixtures)-1].end = len(x.markets)
			fixture, market = f, m
			row++
		}
	}
	x.fixtures, x.markets, x.first = slices.Clip(x.fixtures), slices.Clip(x.markets), slices.Clip(x.first)
	if !slices.IsSortedFunc(x.fixtures, func(a, b indexedFixture) int { return strings.Compare(a.id, b.id) }) {
		return fmt.Errorf("the fixtures are not in order: %w", table.ErrFormat)
	}
	return nil
}

// addPublications reads which publication each seq is of. It leaves publications nil if that is not
// clear, as no writer of these tables leaves it.
func (x *Index) addPublications(r *columnar.Reader) error {
	var columns [3]*parquetfile.ColumnReader
	all := r.Columns()
	for i, name := range []string{"seq", "published_at", "cycle_id"} {
		k := slices.IndexFunc(all, func(c *parquetfile.ColumnReader) bool { return c.Leaf.Name == name })
		if k < 0 || all[k].Leaf.MaxDef > 0 {
			return table.ErrFormat
		}
		columns[i] = all[k]
	}
	seqs, times, cycles := columns[0], columns[1], columns[2]
	byTime := map[int64]*publication{}
	isClear := true
	groups := r.Groups()
	for i := range groups {
		for _, c := range columns {
			c.Open(&groups[i])
		}
		var timeOf, cycleOf pairing // the time of a seq, and the cycle of a time, by their numbers in the dictionaries
		for range groups[i].Rows {
			if err := errors.Join(seqs.Next(), times.Next(), cycles.Next()); err != nil {
				return err
			}
			isClear = isClear && seqs.IsIndexed() && times.IsIndexed() && cycles.IsIndexed()
			seq, at, cycle := seqs.NextValue(), times.NextValue(), cycles.NextValue()
			seqs.At, times.At, cycles.At = seqs.At+1, times.At+1, cycles.At+1
			if !isClear {
				continue
			}
			isNew, fits := timeOf.add(seq, at)
			_, also := cycleOf.add(at, cycle)
			isClear = fits && also
			if isNew {
				isClear = isClear && addPublication(byTime, int64(seqs.Numbers[seq]), int64(times.Numbers[at]), cycles.Texts[cycle])
			}
		}
	}
	list := make([]publication, 0, len(byTime))
	for _, p := range byTime {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b publication) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(list); i++ {
		isClear = isClear && list[i-1].last < list[i].first
	}
	if isClear {
		x.publications = list
	}
	return nil
}

// pairing says which number belongs to each number.
type pairing []int32

// add adds a pair. It reports whether it is the first one of number i, and whether all of them are equal.
func (p *pairing) add(i, other int) (isNew, fits bool) {
	for len(*p) <= i {
		*p = append(*p, -1)
	}
	to := &(*p)[i]
	if isNew = *to < 0; isNew {
		*to = int32(other)
	}
	return isNew, *to == int32(other)
}

// addPublication adds that a seq is of a publication. It returns false if that has another cycle.
func addPublication(byTime map[int64]*publication, seq, at int64, cycle string) bool {
	p := byTime[at]
	if p == nil {
		p = &publication{first: seq, last: seq, at: time.UnixMilli(at).UTC(), cycle: strings.Clone(cycle)}
		byTime[at] = p
	}
	p.first, p.last = min(p.first, seq), max(p.last, seq)
	return p.cycle == cycle
}

// Memory returns how many bytes of memory the index has. It grows with the dictionaries that are read.
func (x *Index) Memory() int { return int(x.memory.Load()) }

// fixture returns the number of a fixture, -1 if the table has no row of it.
func (x *Index) fixture(id string) int {
	i, isThere := slices.BinarySearchFunc(x.fixtures, id, func(f indexedFixture, id string) int { return strings.Compare(f.id, id) })
	if !isThere {
		return -1
	}
	return i
}

// rowsOf returns the first row of a market of a fixture, and how many it has.
func (x *Index) rowsOf(fixture, market string) (first, n int64) {
	i := x.fixture(fixture)
	if i < 0 {
		return 0, 0
	}
	begin := 0
	if i > 0 {
		begin = x.fixtures[i-1].end
	}
	k := slices.Index(x.markets[begin:x.fixtures[i].end], indexHash(market))
	if k < 0 {
		return 0, 0
	}
	k += begin
	first, end := int64(x.first[k]), x.rows
	if k+1 < len(x.first) {
		end = int64(x.first[k+1])
	}
	return first, end - first
}

// Count returns how many rows the table has of a market.
func (x *Index) Count(fixture, market string) int {
	_, n := x.rowsOf(fixture, market)
	return int(n)
}

// KickOffs returns the rows of a fixture itself, oldest first. They must not be changed.
func (x *Index) KickOffs(fixture string) []KickOff {
	i := x.fixture(fixture)
	if i < 0 {
		return nil
	}
	begin := 0
	if i > 0 {
		begin = x.fixtures[i-1].kickOffs
	}
	return x.kickOffs[begin:x.fixtures[i].kickOffs]
}

// indexReader reads some of the columns, with memory for rows. It has few of them, which stay in the
// processor's cache.
type indexReader struct {
	*columnar.Reader
	rows [64]table.StepRow
}

// Rows calls do with the rows of a market, some at a time, which are valid until it returns: with some of
// their columns, which it reads from the table's file.
func (x *Index) Rows(file io.ReaderAt, fixture, market string, columns Columns, do func([]table.StepRow)) (err error) {
	defer columnar.Recovered("steps", &err)
	first, n := x.rowsOf(fixture, market)
	if n == 0 {
		return nil
	}
	r, _ := x.readers[columns].Get().(*indexReader)
	if r == nil {
		r = &indexReader{Reader: x.columns.Subset(x.groups, columns.have)}
	}
	r.SetSource(parquetfile.NewSource(file))
	defer r.Close()
	for err = r.SeekRow(first, n); n > 0 && err == nil; {
		rows := r.rows[:min(n, int64(len(r.rows)))]
		clear(rows)
		_, err = r.Read(unsafe.Pointer(unsafe.SliceData(rows)), len(rows))
		for i := 0; i < len(rows) && err == nil; i++ {
			rows[i].FixtureID, rows[i].MarketID = fixture, market
			if columns != SelectionColumn {
				err = x.publish(&rows[i])
			}
		}
		if err == nil {
			do(rows)
			n -= int64(len(rows))
		}
	}
	if err != nil {
		return fmt.Errorf("table steps: row %d: %w", first, err)
	}
	x.readers[columns].Put(r)
	return nil
}

// publish adds to a row which publication it is of, if that was not read.
func (x *Index) publish(row *table.StepRow) error {
	if x.publications == nil {
		return nil
	}
	i := sort.Search(len(x.publications), func(i int) bool { return x.publications[i].last >= row.Seq })
	if i == len(x.publications) || x.publications[i].first > row.Seq {
		return fmt.Errorf("no publication has the seq %d: %w", row.Seq, table.ErrFormat)
	}
	row.PublishedAt, row.CycleID = x.publications[i].at, x.publications[i].cycle
	return nil
}
