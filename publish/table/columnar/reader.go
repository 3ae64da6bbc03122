package columnar

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"mkt/publish/table/parquetfile"
)

// Reader assembles the rows of a table from its columns, one column after the other: the
// reverse of [Columns.Add]. The library's reader, which goes row by row and uses reflection, takes
// five times as long; a test compares the two.
type Reader struct {
	name    string  // of the table
	size    uintptr // of a row
	source  *parquetfile.Source
	stored  []parquetfile.Leaf // of the file
	groups  []parquetfile.Group
	group   int   // the next one
	opened  int   // the next one
	left    int64 // unread rows of the open row group
	ends    bool  // the end of the columns after these rows is not checked yet
	columns []columnReader
	ahead   int   // so many columns are read by a cursor
	behind  int64 // rows that only they have skipped
}

// NewReader returns a reader of the rows of a file. A column or a list absent from an older
// file is empty.
func NewReader(s *Layout, file *parquet.File, in *parquetfile.Source) (*Reader, error) {
	r := &Reader{name: s.Name, size: s.Row.Size(), source: in, groups: parquetfile.Groups(file)}
	left := file.NumRows()
	for _, g := range r.groups {
		left -= g.Rows
	}
	if left != 0 {
		return nil, fmt.Errorf("table %s: the row groups have not as many rows as the file: %w", s.Name, parquetfile.ErrFormat)
	}
	r.stored = FileLayout(s.Name, file.Schema()).Leaves
	column := map[string]int{}
	for i := range r.stored {
		column[r.stored[i].Name] = i
	}
	err := r.addColumns(s, s.Slots, s.Row, nil, func(name string) (int, *parquetfile.Leaf) {
		if i, ok := column[name]; ok {
			return i, &r.stored[i]
		}
		return -1, nil
	})
	return r, err
}

func (r *Reader) addColumns(s *Layout, slots []Slot, row reflect.Type, lists []nesting, find func(name string) (int, *parquetfile.Leaf)) error {
	for i := range slots {
		to := &slots[i]
		leaves := s.Leaves[to.Leaf : to.Leaf+to.Leaves]
		isThere := slices.ContainsFunc(leaves, func(l parquetfile.Leaf) bool { _, found := find(l.Name); return found != nil })
		if !isThere && !to.begins && to.Leaf > 0 {
			first := &r.columns[0]
			if len(lists) > 0 {
				first = &r.columns[lists[len(lists)-1].begins]
			}
			for k := range leaves {
				first.missing = append(first.missing, &leafSlot{&leaves[k], to.Leaf + k})
			}
			continue
		}
		if to.Kind == RowsSlot {
			nested := row.Field(i).Type.Elem()
			inner := append(lists[:len(lists):len(lists)], nesting{offset: to.Offset, size: to.size, row: nested, begins: len(r.columns)})
			if err := r.addColumns(s, to.Rows, nested, inner, find); err != nil {
				return err
			}
			continue
		}
		wanted := &leaves[0]
		column, found := find(wanted.Name)
		if found == nil || found.Kind != wanted.Kind || found.MaxRep != wanted.MaxRep || found.ListLevel() != wanted.ListLevel() || found.Optional && !wanted.Optional {
			return fmt.Errorf("table %s: column %s is not as expected: %w", s.Name, wanted.Name, parquetfile.ErrFormat)
		}
		r.columns = append(r.columns, columnReader{ColumnReader: parquetfile.NewColumnReader(found, column, r.source), slot: to, lists: lists})
	}
	return nil
}

// Read fills n rows in memory, or as many as there are.
func (r *Reader) Read(rows unsafe.Pointer, n int) (done int, err error) {
	for done < n {
		if err := r.Next(); err != nil {
			return done, err
		}
		batch := int(min(int64(n-done), r.left))
		if err := r.fill(unsafe.Add(rows, uintptr(done)*r.size), batch); err != nil {
			return done, err
		}
		done += batch
		r.left -= int64(batch)
	}
	return done, nil
}

// Next ensures that the row group has another row. It returns io.EOF after the last one.
func (r *Reader) Next() error {
	for r.left == 0 {
		if err := r.end(); err != nil {
			return err
		}
		if r.group == len(r.groups) {
			return io.EOF
		}
		if err := r.open(); err != nil {
			return err
		}
	}
	return nil
}

// end checks that the columns have no more rows than their row group.
func (r *Reader) end() error {
	if !r.ends {
		return nil
	}
	r.ends = false
	if err := r.catchUp(); err != nil {
		return err
	}
	for i := range r.columns {
		if err := r.columns[i].End(); err != nil {
			return err
		}
	}
	return nil
}

// open begins the next row group.
func (r *Reader) open() error {
	r.opened, r.ends = 0, false
	for i := range r.columns {
		r.columns[i].Open(&r.groups[r.group])
	}
	r.left = r.groups[r.group].Rows
	r.group++
	r.opened, r.ends = r.group, true
	if r.left < 0 {
		return fmt.Errorf("a row group of %d rows: %w", r.left, parquetfile.ErrFormat)
	}
	return nil
}

// SeekRow makes a row of the file the next one, of n that are wanted.
func (r *Reader) SeekRow(row, n int64) error {
	if row < 0 {
		return parquet.ErrSeekOutOfRange
	}
	r.ends, r.behind = false, 0
	for r.group, r.left = 0, 0; r.group < len(r.groups); r.group++ {
		rows := r.groups[r.group].Rows
		if row >= rows {
			row -= rows
			continue
		}
		if r.opened == r.group+1 { // its dictionaries are known
			r.group, r.left, r.ends = r.opened, rows, true
		} else if err := r.open(); err != nil {
			return err
		}
		r.left -= row
		for i := range r.columns {
			if err := r.columns[i].SeekRow(row, n); err != nil {
				return err
			}
		}
		return nil
	}
	if row > 0 {
		return parquet.ErrSeekOutOfRange
	}
	return nil
}

// reuse lets the next rows be filled into the memory of the nested rows that were filled before.
func (r *Reader) reuse() {
	for i := range r.columns {
		if c := &r.columns[i]; c.slot.begins {
			c.rows.reuse(&c.lists[len(c.lists)-1])
		}
	}
}

// Left returns how many rows of the row group follow.
func (r *Reader) Left() int64 { return r.left }

// Groups returns the row groups of the file.
func (r *Reader) Groups() []parquetfile.Group { return r.groups }

// Source returns the file that the columns are read from.
func (r *Reader) Source() *parquetfile.Source { return r.source }

// Columns returns the readers of the columns. The reader of the rows must not be used at the same time.
func (r *Reader) Columns() []*parquetfile.ColumnReader {
	columns := make([]*parquetfile.ColumnReader, len(r.columns))
	for i := range columns {
		columns[i] = &r.columns[i].ColumnReader
	}
	return columns
}

// Close gives the memory to another reader.
func (r *Reader) Close() { r.source.Close() }

// fill fills the next n rows, which must be in the row group.
func (r *Reader) fill(rows unsafe.Pointer, n int) error {
	if err := r.catchUp(); err != nil {
		return err
	}
	for i := range r.columns {
		c := &r.columns[i]
		c.elements = 0
		for done := 0; done < n; {
			if err := c.Next(); err != nil {
				return err
			}
			filled, err := c.fill(unsafe.Add(rows, uintptr(done)*r.size), r.size, n-done)
			if err != nil {
				return err
			}
			done += filled
		}
		if depth := len(c.lists); depth > 0 && c.elements != r.columns[c.lists[depth-1].begins].elements {
			return c.contradicts()
		}
	}
	return nil
}

// NewFileReader returns a reader of the columns in a file. It can only copy rows.
func NewFileReader(stored *Layout, file *parquet.File, in *parquetfile.Source) *Reader {
	r := &Reader{name: stored.Name, source: in, groups: parquetfile.Groups(file), columns: make([]columnReader, len(stored.Leaves))}
	for i := range r.columns {
		r.columns[i] = columnReader{ColumnReader: parquetfile.NewColumnReader(&stored.Leaves[i], i, in), slot: &Slot{Leaf: i}}
	}
	return r
}

// skip skips the next n rows, which must be in the row group. Only the columns that a [Cursor] looks at
// skip them at once.
func (r *Reader) skip(n int) error {
	for i := range r.ahead {
		if err := r.columns[i].Skip(int64(n)); err != nil {
			return err
		}
	}
	r.behind += int64(n)
	r.left -= int64(n)
	return nil
}

// catchUp makes the other columns skip as many rows.
func (r *Reader) catchUp() error {
	if r.behind == 0 {
		return nil
	}
	for i := r.ahead; i < len(r.columns); i++ {
		if err := r.columns[i].Skip(r.behind); err != nil {
			return err
		}
	}
	r.behind = 0
	return nil
}

// Subset returns a reader of the same table with some of the columns. SetSource must be called before it is used.
func (r *Reader) Subset(groups []parquetfile.Group, have func(name string) bool) *Reader {
	l := &Reader{name: r.name, size: r.size, groups: groups}
	for i := range r.columns {
		c := &r.columns[i]
		if have(c.Leaf.Name) {
			l.columns = append(l.columns, columnReader{ColumnReader: parquetfile.NewColumnReader(c.Leaf, c.Column(), nil), slot: c.slot, lists: c.lists})
		}
	}
	return l
}

// SetSource sets the file that the columns are read from.
func (r *Reader) SetSource(in *parquetfile.Source) {
	r.source = in
	for i := range r.columns {
		r.columns[i].SetSource(in)
	}
}

// TextColumn returns a reader of a single column of texts.
func (r *Reader) TextColumn(path ...string) (*parquetfile.ColumnReader, error) {
	i := slices.IndexFunc(r.stored, func(l parquetfile.Leaf) bool { return slices.Equal(l.Path, path) })
	if i < 0 || r.stored[i].Kind != parquet.ByteArray {
		return nil, parquetfile.ErrFormat
	}
	column := parquetfile.NewColumnReader(&r.stored[i], i, r.source)
	return &column, nil
}

// Recovered turns a panic of the library, which a damaged file can cause, into an
// error. It is deferred.
func Recovered(table string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("table %s: damaged: %v", table, p)
	}
}
