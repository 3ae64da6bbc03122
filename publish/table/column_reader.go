package table

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"mkt/publish/table/parquetfile"
)

// rowReader assembles the rows of a table from its columns, one column after the other: the
// reverse of shred. The library's reader, which goes row by row and uses reflection, takes
// five times as long; a test compares the two.
type rowReader struct {
	name    string
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

// columnReader fills one field of the rows from a column.
type columnReader struct {
	parquetfile.ColumnReader
	slot  *slot
	lists []nesting // the nested rows around the field, from the outermost
	// missing lists the columns of the row that are absent from the file. Only the first column
	// of a row sets it.
	missing []*leafSlot
	// elements counts the column's nested rows in the batch. The other columns of the row must
	// have as many.
	elements int
	rows     rowSlab // of a column that begins nested rows
	strings  slab[string]
	floats   slab[float64]
	integers slab[int32]
	booleans slab[bool]
	times    slab[time.Time]
}

// leafSlot is a column of the table with its number.
type leafSlot struct {
	*parquetfile.Leaf
	number int
}

// nesting is a field that holds nested rows.
type nesting struct {
	offset, size uintptr
	row          reflect.Type
	begins       int // index of the columnReader that begins its rows
}

// slice is a slice of any type.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// newRowReader returns a reader of the rows of a file. A column absent from an older file is
// empty.
func newRowReader(s *spec, file *parquet.File, in *parquetfile.Source) (*rowReader, error) {
	r := &rowReader{name: s.name, size: s.row.Size(), source: in, groups: parquetfile.Groups(file)}
	left := file.NumRows()
	for _, g := range r.groups {
		left -= g.Rows
	}
	if left != 0 {
		return nil, fmt.Errorf("table %s: the row groups have not as many rows as the file: %w", s.name, ErrFormat)
	}
	r.stored = specIn(s.name, file.Schema()).leaves
	column := map[string]int{}
	for i := range r.stored {
		column[r.stored[i].Name] = i
	}
	err := r.addColumns(s, s.slots, s.row, nil, func(name string) (int, *parquetfile.Leaf) {
		if i, ok := column[name]; ok {
			return i, &r.stored[i]
		}
		return -1, nil
	})
	return r, err
}

func (r *rowReader) addColumns(s *spec, slots []slot, row reflect.Type, lists []nesting, find func(name string) (int, *parquetfile.Leaf)) error {
	for i := range slots {
		to := &slots[i]
		if to.kind == rowsSlot {
			nested := row.Field(i).Type.Elem()
			inner := append(lists[:len(lists):len(lists)], nesting{offset: to.offset, size: to.size, row: nested, begins: len(r.columns)})
			if err := r.addColumns(s, to.rows, nested, inner, find); err != nil {
				return err
			}
			continue
		}
		wanted := &s.leaves[to.leaf]
		column, found := find(wanted.Name)
		if found == nil && !to.begins && to.leaf > 0 {
			first := &r.columns[0]
			if len(lists) > 0 {
				first = &r.columns[lists[len(lists)-1].begins]
			}
			first.missing = append(first.missing, &leafSlot{wanted, to.leaf})
			continue
		}
		if found == nil || found.Kind != wanted.Kind || found.MaxRep != wanted.MaxRep || found.Levels() != wanted.Levels() || found.Optional && !wanted.Optional {
			return fmt.Errorf("table %s: column %s is not as expected: %w", s.name, wanted.Name, ErrFormat)
		}
		r.columns = append(r.columns, columnReader{ColumnReader: parquetfile.NewColumnReader(found, column, r.source), slot: to, lists: lists})
	}
	return nil
}

// read fills n rows in memory, or as many as there are.
func (r *rowReader) read(rows unsafe.Pointer, n int) (done int, err error) {
	for done < n {
		if err := r.next(); err != nil {
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

// next ensures that the row group has another row. It returns io.EOF after the last one.
func (r *rowReader) next() error {
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
func (r *rowReader) end() error {
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
func (r *rowReader) open() error {
	r.opened, r.ends = 0, false
	for i := range r.columns {
		r.columns[i].Open(&r.groups[r.group])
	}
	r.left = r.groups[r.group].Rows
	r.group++
	r.opened, r.ends = r.group, true
	if r.left < 0 {
		return fmt.Errorf("a row group of %d rows: %w", r.left, ErrFormat)
	}
	return nil
}

// seek makes a row of the file the next one, of n that are wanted.
func (r *rowReader) seek(row, n int64) error {
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
func (r *rowReader) reuse() {
	for i := range r.columns {
		if c := &r.columns[i]; c.slot.begins {
			c.rows.reuse(&c.lists[len(c.lists)-1])
		}
	}
}

func (r *rowReader) close() { r.source.Close() }

// fill fills the next n rows, which must be in the row group.
func (r *rowReader) fill(rows unsafe.Pointer, n int) error {
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

func (c *columnReader) contradicts() error {
	return fmt.Errorf("column %s contradicts the columns beside it: %w", c.Leaf.Name, ErrFormat)
}

// fill fills a field of at most n rows from the page.
func (c *columnReader) fill(rows unsafe.Pointer, size uintptr, n int) (done int, err error) {
	if c.Leaf.MaxRep == 1 && len(c.lists) == 1 && !c.slot.begins {
		return c.fillNested(rows, size, n)
	}
	if c.Leaf.MaxRep > 0 {
		return c.fillRepeated(rows, size, n)
	}
	for ; done < n && c.At < c.Entries; done++ {
		if c.IsValue(c.At) {
			c.put(unsafe.Add(rows, uintptr(done)*size+c.slot.offset))
		}
		c.At++
	}
	return done, nil
}

// fillNested is fillRepeated for the columns that most values are in: those of rows nested once, which are
// not lists and do not begin their rows.
func (c *columnReader) fillNested(rows unsafe.Pointer, size uintptr, n int) (done int, err error) {
	l := &c.lists[0]
	var nested slice
	next := 0 // of the nested rows
	for ; c.At < c.Entries; c.At++ {
		if c.Reps[c.At] == 0 {
			if done == n {
				return done, nil
			}
			nested, next = *(*slice)(unsafe.Add(rows, uintptr(done)*size+l.offset)), 0
			if done++; c.Defs[c.At] == 0 {
				continue // an empty list
			}
		}
		if next >= nested.len {
			return done, c.contradicts()
		}
		if c.elements++; c.IsValue(c.At) {
			c.put(unsafe.Add(nested.data, uintptr(next)*l.size+c.slot.offset))
		}
		next++
	}
	return done, nil
}

func (c *columnReader) fillRepeated(rows unsafe.Pointer, size uintptr, n int) (done int, err error) {
	depth := len(c.lists)
	var index [4]int // of the nested row at each depth
	row := rows
	for ; c.At < c.Entries; c.At++ {
		rep, def := int(c.Reps[c.At]), int(c.Defs[c.At])
		if rep == 0 {
			if done == n {
				return done, nil
			}
			row = unsafe.Add(rows, uintptr(done)*size)
			done++
		} else if rep > depth {
			return done, c.contradicts() // a list is read at its first text
		} else {
			index[rep-1]++
		}
		for i := rep; i < depth; i++ {
			index[i] = 0
		}
		at := row
		for i := 0; i < depth && def > i; i++ {
			l := &c.lists[i]
			nested := (*slice)(unsafe.Add(at, l.offset))
			if c.slot.begins && i == depth-1 && rep < depth {
				*nested = c.rows.cut(l, c.count(depth))
			}
			if index[i] >= nested.len {
				return done, c.contradicts()
			}
			at = unsafe.Add(nested.data, uintptr(index[i])*l.size)
		}
		if def < depth {
			continue // an empty list
		}
		c.elements++
		if !c.IsValue(c.At) {
			continue
		}
		if at = unsafe.Add(at, c.slot.offset); c.slot.kind != textsSlot {
			c.put(at)
		} else if err := c.putTexts((*[]string)(at), c.count(depth+1)); err != nil {
			return done, err
		}
	}
	return done, nil
}

// count returns the number of elements of a list that begins with the next entry.
func (c *columnReader) count(level int) int {
	n := 1
	for _, rep := range c.Reps[c.At+1:] {
		if int(rep) < level {
			break
		}
		if int(rep) == level {
			n++
		}
	}
	return n
}

// putTexts puts the next n entries into a list. It leaves the last one for the caller to pass.
func (c *columnReader) putTexts(list *[]string, n int) error {
	if n == 1 {
		i := c.Take()
		*list = c.Texts[i : i+1 : i+1]
		return nil
	}
	*list = c.strings.cut(n)
	for i := range *list {
		if !c.IsValue(c.At + i) {
			return c.contradicts()
		}
		(*list)[i] = c.Texts[c.Take()]
	}
	c.At += n - 1
	return nil
}

// put puts the next value into a field.
func (c *columnReader) put(at unsafe.Pointer) {
	i := c.Take()
	switch c.slot.kind {
	case textSlot:
		*(*string)(at) = c.Texts[i]
	case optionalTextSlot:
		*(**string)(at) = &c.Texts[i]
	case integerSlot:
		*(*int32)(at) = int32(c.Numbers[i])
	case booleanSlot:
		*(*bool)(at) = c.Numbers[i] != 0
	case optionalFloatSlot:
		*(**float64)(at) = c.floats.put(math.Float64frombits(c.Numbers[i]))
	case optionalIntegerSlot:
		*(**int32)(at) = c.integers.put(int32(c.Numbers[i]))
	case optionalBooleanSlot:
		*(**bool)(at) = c.booleans.put(c.Numbers[i] != 0)
	case longSlot:
		*(*int64)(at) = int64(c.Numbers[i])
	case timeSlot:
		*(*time.Time)(at) = time.UnixMilli(int64(c.Numbers[i])).UTC()
	case optionalTimeSlot:
		*(**time.Time)(at) = c.times.put(time.UnixMilli(int64(c.Numbers[i])).UTC())
	case bytesSlot:
		*(*[]byte)(at) = []byte(c.Texts[i])
	}
}

// slab is memory for the values to which rows point.
type slab[V any] struct{ free []V }

const slabSize = 256

func (s *slab[V]) put(v V) *V {
	p := &s.cut(1)[0]
	*p = v
	return p
}

func (s *slab[V]) cut(n int) []V {
	if len(s.free) < n {
		if n > slabSize/4 {
			return make([]V, n)
		}
		s.free = make([]V, slabSize)
	}
	cut := s.free[:n:n]
	s.free = s.free[n:]
	return cut
}

// rowSlab is the same for nested rows.
type rowSlab struct {
	data unsafe.Pointer
	free int
	all  reflect.Value // the memory, if it is used again
}

func (s *rowSlab) cut(l *nesting, n int) slice {
	const most = 64 // rows
	if n > s.free {
		size := max(n, most)
		if s.all.IsValid() {
			size = max(n, 2*s.all.Len())
		}
		memory := reflect.MakeSlice(reflect.SliceOf(l.row), size, size)
		if s.all.IsValid() {
			s.all = memory
		} else if n > most/4 {
			return slice{memory.UnsafePointer(), n, n}
		}
		s.data, s.free = memory.UnsafePointer(), size
	}
	cut := slice{s.data, n, n}
	if s.free -= n; s.free > 0 { // a pointer must not leave its memory
		s.data = unsafe.Add(s.data, uintptr(n)*l.size)
	}
	return cut
}

// reuse makes all rows free that were cut.
func (s *rowSlab) reuse(l *nesting) {
	if !s.all.IsValid() {
		s.all = reflect.MakeSlice(reflect.SliceOf(l.row), 0, 0)
	}
	s.all.Clear()
	s.data, s.free = s.all.UnsafePointer(), s.all.Len()
}
