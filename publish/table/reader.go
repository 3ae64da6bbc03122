package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"mkt/publish/layout"
)

// ErrFormat: the file is not the table it should be. One of a newer format is
// layout.ErrNewer.
var ErrFormat = errors.New("not a table this version reads")

// Reader reads the rows of one table in order. Check the file's hash before:
// the library trusts its input. Not safe for concurrent use.
type Reader[T Row] struct {
	spec *spec
	file *parquet.File
	rows *parquet.GenericReader[T]

	// For markets: a faster way than the library's.
	assembler assembler
	buffer    []parquet.Row
}

// NewReader opens a table and checks that it is one of T. It does not close r.
func NewReader[T Row](r io.ReaderAt, size int64) (_ *Reader[T], err error) {
	s := specOf[T]()
	defer survive(s.name, &err)
	if err := checkFooter(r, size); err != nil {
		return nil, fmt.Errorf("table %s: %w", s.name, err)
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", s.name, err)
	}
	if name, _ := file.Lookup("mkt.table"); name != s.name {
		return nil, fmt.Errorf("table %s: file holds table %q: %w", s.name, name, ErrFormat)
	}
	format, _ := file.Lookup("mkt.format")
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("table %s: format %q: %w", s.name, format, ErrFormat)
	}
	if err := layout.CheckFormat("table "+s.name, n, Version); err != nil {
		return nil, err
	}
	return &Reader[T]{spec: s, file: file, rows: parquet.NewGenericReader[T](file)}, nil
}

// checkFooter holds the length that the file's end says of its footer against the
// file: the library makes room for it first, 4 GiB for four bytes.
func checkFooter(r io.ReaderAt, size int64) error {
	const head, tail = 4, 8 // "PAR1"; the footer's length and "PAR1"
	var end [tail]byte
	if size < head+tail {
		return fmt.Errorf("%d bytes are no table: %w", size, ErrFormat)
	}
	if _, err := r.ReadAt(end[:], size-tail); err != nil {
		return err
	}
	if length := binary.LittleEndian.Uint32(end[:4]); int64(length) > size-head-tail {
		return fmt.Errorf("a footer of %d bytes in a file of %d: %w", length, size, ErrFormat)
	}
	return nil
}

// Header returns what the file says of itself.
func (r *Reader[T]) Header() Header {
	look := func(key string) string {
		value, _ := r.file.Lookup("mkt." + key)
		return value
	}
	return Header{
		ClientID:          look("client_id"),
		Product:           look("product"),
		CycleID:           look("cycle_id"),
		Provider:          look("provider"),
		DerivationVersion: look("derivation_version"),
	}
}

// Len is how many rows the file holds.
func (r *Reader[T]) Len() int64 { return r.file.NumRows() }

// Read fills rows with the next ones. It returns io.EOF, with or after the last
// rows. What rows held before is not kept.
func (r *Reader[T]) Read(rows []T) (n int, err error) {
	defer survive(r.spec.name, &err)
	clear(rows)
	if markets, ok := any(rows).([]MarketRow); ok {
		n, err = r.assemble(markets)
	} else {
		n, err = r.rows.Read(rows)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("table %s: %w", r.spec.name, err)
	}
	return n, err
}

func (r *Reader[T]) assemble(rows []MarketRow) (int, error) {
	if r.buffer == nil {
		r.buffer = make([]parquet.Row, batchRows)
	}
	return r.assembler.read(any(r.rows).(*parquet.GenericReader[MarketRow]), rows, r.buffer)
}

// All reads the rows that are left, one after the other. The row is only valid
// until the next one.
func (r *Reader[T]) All(yield func(*T, error) bool) {
	rows := make([]T, batchRows)
	for {
		n, err := r.Read(rows)
		for i := range rows[:n] {
			if !yield(&rows[i], nil) {
				return
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
}

// Close frees the reader's buffers.
func (r *Reader[T]) Close() error { return r.rows.Close() }

// survive turns a panic of the library, which a damaged file can cause, into an
// error.
func survive(table string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("table %s: damaged: %v", table, p)
	}
}

// Summarize counts and hashes the rows of a file, as the writer did when it
// wrote them: by the columns that the file has, which an older format may have
// fewer of.
func Summarize[T Row](file io.ReaderAt, size int64) (_ Summary, err error) {
	r, err := NewReader[T](file, size)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	defer survive(r.spec.name, &err)
	t := newTally(specIn(r.spec.name, r.file.Schema()))
	err = r.eachRow(func(row parquet.Row) error {
		pour(t, row)
		t.rows++
		return nil
	})
	return t.summary(), err
}

// eachRow gives the rows as the library holds them, with the file's own columns;
// each is valid until the next.
func (r *Reader[T]) eachRow(do func(parquet.Row) error) error {
	stored := parquet.NewGenericReader[any](r.file, r.file.Schema())
	defer stored.Close()
	rows := make([]parquet.Row, batchRows)
	for {
		n, err := stored.ReadRows(rows)
		for _, row := range rows[:n] {
			if err := do(row); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", r.spec.name, err)
		}
	}
}
