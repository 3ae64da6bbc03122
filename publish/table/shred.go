package table

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"
)

// shred adds rows to columns, one column after the other, with Parquet's repetition and
// definition levels. A test compares the result with files written by the library.
func shred(to *columns, slots []slot, rows someRows) {
	for i := range slots {
		s := &slots[i]
		for leaf := s.leaf; leaf < s.leaf+s.leaves; leaf++ {
			to.add(s, leaf, rows, 0, 0, 0)
		}
	}
}

// someRows are rows that follow each other in memory.
type someRows struct {
	first unsafe.Pointer
	n     int
	size  uintptr // of each
}

func rowsOf[T Row](rows []T) someRows {
	var row T
	return someRows{unsafe.Pointer(unsafe.SliceData(rows)), len(rows), unsafe.Sizeof(row)}
}

func (r *someRows) at(i int, s *slot) unsafe.Pointer {
	return unsafe.Add(r.first, uintptr(i)*r.size+s.offset)
}

// rowsAt returns the rows of a list.
func (s *slot) rowsAt(at unsafe.Pointer) someRows {
	list := *(*[]byte)(at) // only its address and length are used
	return someRows{unsafe.Pointer(unsafe.SliceData(list)), len(list), s.size}
}

// add adds the values of rows in a leaf, which is their slot s or below it. rep is the repetition
// level of the first row, again is the level of the others.
func (c *columns) add(s *slot, leaf int, rows someRows, rep, again, depth byte) {
	if s.kind != rowsSlot {
		c.addValues(s, rows, rep, again, depth)
		return
	}
	for i := range rows.n {
		if nested := s.rowsAt(rows.at(i, s)); nested.n > 0 {
			c.add(s.below[leaf-s.leaf], leaf, nested, rep, depth+1, depth+1)
		} else {
			c.none(leaf, rep, depth)
		}
		rep = again
	}
}

func (c *columns) addValues(s *slot, rows someRows, rep, again, depth byte) {
	to := &c.leaves[s.leaf]
	if s.kind == textsSlot {
		for i := range rows.n {
			texts := *(*[]string)(rows.at(i, s))
			if len(texts) == 0 {
				to.none(rep, depth)
			}
			for _, text := range texts {
				c.text(s.leaf, rep, depth+1, text)
				rep = depth + 1
			}
			rep = again
		}
		return
	}
	b, def := to.bytes, depth+s.optional
	none, zero := 0, 0
	for i := range rows.n {
		at := rows.at(i, s)
		if s.isText {
			if text, ok := s.text(at); ok {
				b = appendText(append(b, rep<<4|def), text)
				if text == "" {
					zero++
				}
			} else {
				b = append(b, rep<<4|depth)
				none++
			}
		} else if bits, ok := s.number(at); ok {
			b = binary.LittleEndian.AppendUint64(append(b, rep<<4|def), bits)
			if bits == 0 {
				zero++
			}
		} else {
			b = append(b, rep<<4|depth)
			none++
		}
		rep = again
	}
	to.bytes = b
	to.counts.Null += int64(none)
	to.counts.Zero += int64(zero)
	to.counts.Value += int64(rows.n - none - zero)
}

// text returns the text of a row; false if there is none.
func (s *slot) text(at unsafe.Pointer) (text string, ok bool) {
	switch s.kind {
	case textSlot:
		return *(*string)(at), true
	case bytesSlot:
		b := *(*[]byte)(at) // its memory does not change while the text is used
		return unsafe.String(unsafe.SliceData(b), len(b)), true
	}
	if p := *(**string)(at); p != nil {
		return *p, true
	}
	return "", false
}

// number returns the bits of a number of a row; false if there is none.
func (s *slot) number(at unsafe.Pointer) (bits uint64, ok bool) {
	switch s.kind {
	case integerSlot:
		return uint64(int64(*(*int32)(at))), true
	case booleanSlot:
		return truth(*(*bool)(at)), true
	case optionalFloatSlot:
		if p := *(**float64)(at); p != nil {
			return math.Float64bits(*p), true
		}
	case optionalIntegerSlot:
		if p := *(**int32)(at); p != nil {
			return uint64(int64(*p)), true
		}
	case optionalBooleanSlot:
		if p := *(**bool)(at); p != nil {
			return truth(*p), true
		}
	case longSlot:
		return uint64(*(*int64)(at)), true
	case timeSlot:
		return milliseconds(*(*time.Time)(at)), true
	case optionalTimeSlot:
		if p := *(**time.Time)(at); p != nil {
			return milliseconds(*p), true
		}
	}
	return 0, false
}

func milliseconds(t time.Time) uint64 { return uint64(t.UnixMilli()) }
