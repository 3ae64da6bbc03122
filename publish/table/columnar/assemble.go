package columnar

import (
	"fmt"
	"math"
	"reflect"
	"time"
	"unsafe"

	"mkt/publish/table/parquetfile"
)

// columnReader fills one field of the rows from a column.
type columnReader struct {
	parquetfile.ColumnReader
	slot  *Slot
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

func (c *columnReader) contradicts() error {
	return fmt.Errorf("column %s contradicts the columns beside it: %w", c.Leaf.Name, parquetfile.ErrFormat)
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
			c.put(unsafe.Add(rows, uintptr(done)*size+c.slot.Offset))
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
			c.put(unsafe.Add(nested.data, uintptr(next)*l.size+c.slot.Offset))
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
		if at = unsafe.Add(at, c.slot.Offset); c.slot.Kind != TextsSlot {
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
		i := c.NextValue()
		*list = c.Texts[i : i+1 : i+1]
		return nil
	}
	*list = c.strings.cut(n)
	for i := range *list {
		if !c.IsValue(c.At + i) {
			return c.contradicts()
		}
		(*list)[i] = c.Texts[c.NextValue()]
	}
	c.At += n - 1
	return nil
}

// put puts the next value into a field.
func (c *columnReader) put(at unsafe.Pointer) {
	i := c.NextValue()
	switch c.slot.Kind {
	case TextSlot:
		*(*string)(at) = c.Texts[i]
	case OptionalTextSlot:
		*(**string)(at) = &c.Texts[i]
	case IntegerSlot:
		*(*int32)(at) = int32(c.Numbers[i])
	case BooleanSlot:
		*(*bool)(at) = c.Numbers[i] != 0
	case OptionalFloatSlot:
		*(**float64)(at) = c.floats.put(math.Float64frombits(c.Numbers[i]))
	case OptionalIntegerSlot:
		*(**int32)(at) = c.integers.put(int32(c.Numbers[i]))
	case OptionalBooleanSlot:
		*(**bool)(at) = c.booleans.put(c.Numbers[i] != 0)
	case LongSlot:
		*(*int64)(at) = int64(c.Numbers[i])
	case TimeSlot:
		*(*time.Time)(at) = time.UnixMilli(int64(c.Numbers[i])).UTC()
	case OptionalTimeSlot:
		*(**time.Time)(at) = c.times.put(time.UnixMilli(int64(c.Numbers[i])).UTC())
	case BytesSlot:
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
