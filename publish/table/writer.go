package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"mkt/publish/table/columnar"
	"mkt/publish/table/parquetfile"
)

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
	encoded *columnar.Columns // of WriteEncoded
	tally   *tally
	group   int64 // encoded rows of the row group
	bytes   int   // of their columns
}

// buffers is the memory of a Writer. Another Writer of the table uses it later.
type buffers struct {
	out    *bufio.Writer
	rows   *columnar.Columns // not encoded yet
	chunks []*parquetfile.ColumnWriter
}

func newBuffers(s *spec) *buffers {
	b := &buffers{out: bufio.NewWriterSize(nil, 32<<10), rows: columnar.NewColumns(s.Layout), chunks: make([]*parquetfile.ColumnWriter, len(s.Leaves))}
	for i := range b.chunks {
		b.chunks[i] = parquetfile.NewColumnWriter(&s.Leaves[i], s.stats == nil || s.stats[s.Leaves[i].Name], s.pageRows)
	}
	return b
}

// release gives the memory to the next Writer, unless the table was unusually large.
func (b *buffers) release(s *spec) {
	size := 0
	for i, c := range b.chunks {
		size += cap(b.rows.Leaves[i].Bytes) + c.Memory()
	}
	if size <= 2<<20 {
		b.out.Reset(nil)
		s.buffers.Put(b)
	}
}

// NewWriter returns a Writer of a new table. Close must be called after the last row.
func NewWriter[T Row](w io.Writer, h Header) *Writer[T] {
	s := specOf[T]()
	b, _ := s.buffers.Get().(*buffers)
	if b == nil {
		b = newBuffers(s)
	}
	out := &Writer[T]{spec: s, buffers: b, tally: newTally(s.Layout)}
	out.out.Reset(w)
	out.file = parquetfile.NewWriter(out.out, s.footer(), s.metadata(h))
	return out
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
		w.rows.Add(columnar.RowsOf(rows[:n]))
		if err := w.added(n); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// WriteEncoded adds the rows of a fixture as [columnar.Columns.AppendTo] appended them.
func (w *Writer[T]) WriteEncoded(fixtureID string, encoded []byte) error {
	if w.encoded == nil {
		w.encoded = columnar.NewColumns(w.spec.Layout)
	}
	if err := w.encoded.Load(encoded); err != nil {
		return fmt.Errorf("table %s: fixture %s: %w", w.spec.Name, fixtureID, err)
	}
	if w.encoded.Rows == 0 {
		return nil
	}
	if err := w.begin(key{first: fixtureID}); err != nil {
		return err
	}
	w.rows.Append(w.encoded)
	return w.added(w.encoded.Rows)
}

// begin makes next, a row or the first row of a fixture, the last one of the table, and checks
// its order. A row group only ends between fixtures.
func (w *Writer[T]) begin(next key) error {
	before := w.last
	if err := w.inOrder(next, 0); err != nil {
		return err
	}
	isFull := w.group+int64(w.rows.Rows) >= groupRows || w.bytes+w.rows.Size() >= groupBytes
	if !isFull || len(w.spec.sorting) > 1 && before.first == next.first {
		return nil
	}
	return w.endGroup()
}

// added counts rows that were added to w.rows, and encodes them if they are many.
func (w *Writer[T]) added(n int) error {
	w.tally.rows += int64(n)
	if w.rows.Size() < drainBytes {
		return nil
	}
	return w.drain()
}

// drain hashes and encodes the rows, and forgets them.
func (w *Writer[T]) drain() error {
	err := w.each(w.rows.Size() >= drainBytes, func(i int) error {
		s := &w.rows.Leaves[i]
		w.tally.add(i, s)
		return w.chunks[i].Add(s.Bytes)
	})
	w.group += int64(w.rows.Rows)
	w.bytes += w.rows.Size()
	w.rows.Reset()
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

// inOrder checks that a row follows the last one in the table's order. ahead is the number of rows before
// it that are not added yet.
func (w *Writer[T]) inOrder(next key, ahead int) error {
	if next.compare(&w.last) <= 0 {
		return fmt.Errorf("table %s: row %d (%s %s %d) does not follow the row before it (%s %s %d)", w.spec.Name,
			w.tally.rows+int64(ahead), next.first, next.second, next.number(), w.last.first, w.last.second, w.last.number())
	}
	w.last = next
	return nil
}
