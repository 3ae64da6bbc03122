package table

import (
	"fmt"
	"io"
	"strconv"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"mkt/publish/layout"
	"mkt/publish/table/columnar"
	"mkt/publish/table/parquetfile"
)

// batchRows is the number of rows read at once.
const batchRows = 64

// ErrFormat is the error of a file other than the expected table. A file of a newer format is
// [layout.ErrNewer].
var ErrFormat = parquetfile.ErrFormat

// Reader reads the rows of one table in order. The caller must check the file's hash first:
// damage is an error only if a page or the footer contradicts itself. A Reader is not safe for
// concurrent use.
type Reader[T Row] struct {
	spec *spec
	file *parquet.File
	rows *columnar.Reader
}

// NewReader opens a table and checks that its rows are of type T. It does not close r.
func NewReader[T Row](r io.ReaderAt, size int64) (_ *Reader[T], err error) {
	s := specOf[T]()
	defer columnar.Recovered(s.Name, &err)
	file, err := parquetfile.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", s.Name, err)
	}
	if name, _ := file.Lookup("mkt.table"); name != s.Name {
		return nil, fmt.Errorf("table %s: the file holds table %q: %w", s.Name, name, ErrFormat)
	}
	format, _ := file.Lookup("mkt.format")
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("table %s: format %q: %w", s.Name, format, ErrFormat)
	}
	if err := layout.CheckFormat("table "+s.Name, n, Version); err != nil {
		return nil, err
	}
	rows, err := columnar.NewReader(s.Layout, file, parquetfile.NewSource(r))
	if err != nil {
		return nil, err
	}
	return &Reader[T]{spec: s, file: file, rows: rows}, nil
}

// Header returns the header in the file's metadata.
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

// Len returns the number of rows in the file.
func (r *Reader[T]) Len() int64 { return r.file.NumRows() }

// Read fills rows with the next rows and returns their number. It returns [io.EOF] with the last
// rows or after them. It overwrites all of rows. The values to which rows point may be shared by
// other rows, and must not be changed.
func (r *Reader[T]) Read(rows []T) (n int, err error) {
	defer columnar.Recovered(r.spec.Name, &err)
	clear(rows)
	if len(rows) == 0 {
		return 0, nil
	}
	n, err = r.rows.Read(unsafe.Pointer(unsafe.SliceData(rows)), len(rows))
	if err != nil && err != io.EOF {
		err = fmt.Errorf("table %s: %w", r.spec.Name, err)
	}
	return n, err
}

// All iterates over the remaining rows. A row is valid until the next one.
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

// SeekRow sets the next row to read, counted from 0.
func (r *Reader[T]) SeekRow(row int64) (err error) {
	defer columnar.Recovered(r.spec.Name, &err)
	if err := r.rows.SeekRow(row, 1); err != nil {
		return fmt.Errorf("table %s: row %d: %w", r.spec.Name, row, err)
	}
	return nil
}

// cursor returns a cursor over the rows. r may be nil.
func (r *Reader[T]) cursor() (*columnar.Cursor, error) {
	if r == nil {
		return columnar.NewCursor(nil, nil, 0)
	}
	return columnar.NewCursor(r.spec.Layout, r.rows, len(r.spec.sorting))
}

// Columns returns the reader of the columns, for those who read only some of them.
func (r *Reader[T]) Columns() *columnar.Reader { return r.rows }

// Close releases the reader's buffers. Nothing can be read after it.
func (r *Reader[T]) Close() error {
	r.rows.Close()
	return nil
}
