package columnar

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"
)

// Rows are rows that follow each other in memory.
type Rows struct {
	Len   int
	first unsafe.Pointer
	size  uintptr // of each
}

// RowsOf returns rows where they are.
func RowsOf[T any](rows []T) Rows {
	var row T
	return Rows{len(rows), unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(row)}
}

// At returns the memory of a row.
func (r *Rows) At(i int) unsafe.Pointer { return unsafe.Add(r.first, uintptr(i)*r.size) }

func (r *Rows) at(i int, s *Slot) unsafe.Pointer {
	return unsafe.Add(r.first, uintptr(i)*r.size+s.Offset)
}

// RowsAt returns the rows of a list that is at an address.
func (s *Slot) RowsAt(at unsafe.Pointer) Rows {
	list := *(*[]byte)(at) // only its address and length are used
	return Rows{len(list), unsafe.Pointer(unsafe.SliceData(list)), s.size}
}

// Text returns the text at an address; false if there is none.
func (s *Slot) Text(at unsafe.Pointer) (text string, ok bool) {
	switch s.Kind {
	case TextSlot:
		return *(*string)(at), true
	case BytesSlot:
		b := *(*[]byte)(at) // its memory does not change while the text is used
		return unsafe.String(unsafe.SliceData(b), len(b)), true
	}
	if p := *(**string)(at); p != nil {
		return *p, true
	}
	return "", false
}

// Number returns the bits of the number at an address; false if there is none.
func (s *Slot) Number(at unsafe.Pointer) (bits uint64, ok bool) {
	switch s.Kind {
	case IntegerSlot:
		return uint64(int64(*(*int32)(at))), true
	case BooleanSlot:
		return truth(*(*bool)(at)), true
	case OptionalFloatSlot:
		if p := *(**float64)(at); p != nil {
			return math.Float64bits(*p), true
		}
	case OptionalIntegerSlot:
		if p := *(**int32)(at); p != nil {
			return uint64(int64(*p)), true
		}
	case OptionalBooleanSlot:
		if p := *(**bool)(at); p != nil {
			return truth(*p), true
		}
	case LongSlot:
		return uint64(*(*int64)(at)), true
	case TimeSlot:
		return milliseconds(*(*time.Time)(at)), true
	case OptionalTimeSlot:
		if p := *(**time.Time)(at); p != nil {
			return milliseconds(*p), true
		}
	}
	return 0, false
}

func milliseconds(t time.Time) uint64 { return uint64(t.UnixMilli()) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// AppendText appends a text behind its length.
func AppendText(b []byte, text string) []byte {
	if len(text) < 0x80 { // inlined AppendUvarint
		b = append(b, byte(len(text)))
	} else {
		b = binary.AppendUvarint(b, uint64(len(text)))
	}
	return append(b, text...)
}
