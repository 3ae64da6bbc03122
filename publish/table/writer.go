package table

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"mkt/publish/table/parquetfile"
)

// Header is stored in a file's metadata, under the keys below with the prefix "mkt.".
type Header struct {
	ClientID          string // client_id
	Product           string // product
	CycleID           string // cycle_id
	Provider          string // provider
	DerivationVersion string // derivation_version
}

// The end of a row group is fixed, so that the same rows have the same bytes.
const (
	groupRows  = 16 << 10 // rows after which a row group ends with its last fixture
	groupBytes = 64 << 20 // or bytes before encoding: a group usually has a quarter of them
)

// drainBytes is the size of all columns at which rows are encoded. It does not change the file.
const drainBytes = 256 << 10

// Writer writes the rows of one table in order. Its memory is bounded by one row
// group. It does not sync: see package durable. A Writer is not safe for concurrent
// use.
type Writer[T Row] struct {
	*buffers
	spec    *spec
	file    *parquetfile.Writer
	last    key
	encoded *columns // of WriteEncoded
	tally   *tally
	group   int64 // encoded rows of the row group
	bytes   int   // of their columns
}

// buffers is the memory of a Writer. Another Writer of the table uses it later.
type buffers struct {
	out    *bufio.Writer
	rows   *columns // not encoded yet
	chunks []*parquetfile.ColumnWriter
}

func (s *spec) newBuffers() any {
	b := &buffers{out: bufio.NewWriterSize(nil, 32<<10), rows: newColumns(s), chunks: make([]*parquetfile.ColumnWriter, len(s.leaves))}
	for i := range b.chunks {
		b.chunks[i] = parquetfile.NewColumnWriter(&s.leaves[i], s.stats == nil || s.stats[s.leaves[i].Name], s.pageRows)
	}
	return b
}

// release gives the memory to the next Writer, unless the table was unusually large.
func (b *buffers) release(s *spec) {
	size := 0
	for i, c := range b.chunks {
		size += cap(b.rows.leaves[i].bytes) + c.Memory()
	}
	if size <= 2<<20 {
		b.out.Reset(nil)
		s.buffers.Put(b)
	}
}

// NewWriter returns a Writer of a new table. Close must be called after the last row.
func NewWriter[T Row](w io.Writer, h Header) *Writer[T] {
	s := specOf[T]()
	out := &Writer[T]{spec: s, buffers: s.buffers.Get().(*buffers), tally: newTally(s)}
	out.out.Reset(w)
	out.file = parquetfile.NewWriter(out.out, s.footer(), s.metadata(h))
	return out
}

func (s *spec) metadata(h Header) map[string]string {
	return map[string]string{
		"mkt.table":              s.name,
		"mkt.format":             strconv.Itoa(Version),
		"mkt.client_id":          h.ClientID,
		"mkt.product":            h.Product,
		"mkt.cycle_id":           h.CycleID,
		"mkt.provider":           h.Provider,
		"mkt.derivation_version": h.DerivationVersion,
		"mkt.columns":            s.columns,
	}
}

// Write adds rows. They must follow the earlier rows in the table's order.
func (w *Writer[T]) Write(rows ...T) error {
	for len(rows) > 0 {
		first := keyOf(&rows[0])
		if err := w.begin(first); err != nil {
			return err
		}
		n := 1 // of the fixture: together they are faster
		for ; n < min(len(rows), batchRows) && len(w.spec.sorting) > 1; n++ {
			next := keyOf(&rows[n])
			if next.first != first.first {
				break
			}
			if err := w.inOrder(next, n); err != nil {
				return err
			}
		}
		shred(w.rows, w.spec.slots, rowsOf(rows[:n]))
		if err := w.added(n); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// begin makes next, a row or the first row of a fixture, the last one of the table, and checks
// its order. A row group only ends between fixtures.
func (w *Writer[T]) begin(next key) error {
	before := w.last
	if err := w.inOrder(next, 0); err != nil {
		return err
	}
	isFull := w.group+int64(w.rows.rows) >= groupRows || w.bytes+w.rows.size() >= groupBytes
	if !isFull || len(w.spec.sorting) > 1 && before.first == next.first {
		return nil
	}
	return w.endGroup()
}

// added counts the rows added to w.rows, and encodes them if they are many.
func (w *Writer[T]) added(n int) error {
	w.rows.rows += n
	w.tally.rows += int64(n)
	if w.rows.size() < drainBytes {
		return nil
	}
	return w.drain()
}

// drain hashes and encodes the rows, and forgets them.
func (w *Writer[T]) drain() error {
	err := w.each(w.rows.size() >= drainBytes, func(i int) error {
		s := &w.rows.leaves[i]
		w.tally.add(i, s)
		return w.chunks[i].Add(s.bytes)
	})
	w.group += int64(w.rows.rows)
	w.bytes += w.rows.size()
	w.rows.reset()
	return err
}

// each calls do for every leaf, on two goroutines if there is much to do.
func (w *Writer[T]) each(much bool, do func(leaf int) error) error {
	if !much {
		for i := range w.chunks {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	work := func() error {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(w.chunks) {
				return nil
			}
			if err := do(i); err != nil {
				return err
			}
		}
	}
	second := make(chan error, 1)
	go func() { second <- work() }()
	return errors.Join(work(), <-second)
}

// endGroup writes the row group.
func (w *Writer[T]) endGroup() error {
	if err := w.drain(); err != nil || w.group == 0 {
		return err
	}
	if err := w.each(w.group >= groupRows, func(i int) error { return w.chunks[i].Finish() }); err != nil {
		return err
	}
	group := w.group
	w.group, w.bytes = 0, 0
	return w.file.WriteGroup(group, w.spec.sortingColumns(), w.chunks)
}

// Close writes the remaining rows and the footer, and returns the summary. It does
// not close the underlying writer.
func (w *Writer[T]) Close() (Summary, error) {
	if err := w.endGroup(); err != nil {
		return Summary{}, err
	}
	if err := w.file.Close(); err != nil {
		return Summary{}, err
	}
	w.release(w.spec)
	w.buffers = nil // using the Writer again panics
	return w.tally.summary(), nil
}

// key is a row's position in the order of its table.
type key struct {
	seq                  int64
	first, second, third string
	place, added         int32
	step                 int64
}

func (k *key) compare(other *key) int {
	if order := cmp.Compare(k.seq, other.seq); order != 0 {
		return order
	}
	if order := strings.Compare(k.first, other.first); order != 0 {
		return order
	}
	if order := strings.Compare(k.second, other.second); order != 0 {
		return order
	}
	if order := strings.Compare(k.third, other.third); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(k.place, other.place), cmp.Compare(k.added, other.added), cmp.Compare(k.step, other.step))
}

// number returns the number by which the table is sorted.
func (k key) number() int64 { return k.seq + int64(k.place) + k.step }

func keyOf[T Row](row *T) key {
	switch r := any(row).(type) {
	case *FixtureRow:
		return key{first: r.FixtureID}
	case *MarketRow:
		return key{first: r.FixtureID, second: r.MarketID}
	case *ListingRow:
		return key{first: r.FixtureID}
	case *EventRow:
		return key{seq: r.Seq}
	case *StepRow:
		return key{first: r.FixtureID, second: r.MarketID, third: r.SelectionID, step: r.Seq}
	case *LiveRow:
		return key{first: r.FixtureID}
	case *LiveCounterRow:
		return key{first: r.FixtureID, second: r.Metric}
	case *LiveTimelineRow:
		return key{first: r.FixtureID, place: r.Ordinal}
	case *LiveBucketRow:
		return key{first: r.FixtureID, place: r.Minute, added: r.Added}
	case *LivePeriodRow:
		return key{first: r.FixtureID, place: r.Half}
	case *LiveStateRow:
		return key{first: r.FixtureID}
	}
	return key{}
}

// inOrder checks that a row follows the last one in the table's order. ahead is the number of rows before
// it that are not added yet.
func (w *Writer[T]) inOrder(next key, ahead int) error {
	if next.compare(&w.last) <= 0 {
		return fmt.Errorf("table %s: row %d (%s %s %d) does not follow the row before it (%s %s %d)", w.spec.name,
			w.tally.rows+int64(ahead), next.first, next.second, next.number(), w.last.first, w.last.second, w.last.number())
	}
	w.last = next
	return nil
}

// sortingColumns are the numbers of the columns by which rows are sorted.
func (s *spec) sortingColumns() (sorting []int) {
	for _, name := range s.sorting {
		sorting = append(sorting, slices.IndexFunc(s.leaves, func(l parquetfile.Leaf) bool { return l.Name == name }))
	}
	return sorting
}
