package table

import (
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// shredder adds a row to columns.
type shredder[T Row] func(to *columns, row *T)

// shredderOf returns the fast shredder for markets, and the library's for the other
// tables, which are small.
func shredderOf[T Row](s *spec) shredder[T] {
	if fast, ok := any(shredder[MarketRow](shredMarket)).(shredder[T]); ok {
		return fast
	}
	var buffer parquet.Row
	return func(to *columns, row *T) {
		buffer = s.schema.Deconstruct(buffer[:0], row)
		feed(to, buffer)
	}
}

// shredMarket is a faster feed(schema.Deconstruct(row)), one selection after the other. A
// test compares the two.
func shredMarket(to *columns, m *MarketRow) { shred(to, marketSlots, unsafe.Pointer(m), 0, 0) }

func shred(to *columns, slots []slot, row unsafe.Pointer, rep, depth byte) {
	for i := range slots {
		s := &slots[i]
		at := unsafe.Add(row, s.offset)
		switch s.kind {
		case textSlot:
			to.text(s.leaf, rep, depth, *(*string)(at))
		case optionalTextSlot:
			optional(to, s.leaf, rep, depth, *(**string)(at))
		case textsSlot:
			list(to, s.leaf, rep, depth, *(*[]string)(at))
		case integerSlot:
			to.number(s.leaf, rep, depth, uint64(int64(*(*int32)(at))))
		case booleanSlot:
			to.number(s.leaf, rep, depth, truth(*(*bool)(at)))
		case optionalFloatSlot:
			if f := *(**float64)(at); f != nil {
				to.number(s.leaf, rep, depth+1, math.Float64bits(*f))
			} else {
				to.none(s.leaf, rep, depth)
			}
		case rowsSlot:
			shredRows(to, s, at, rep, depth)
		}
	}
}

func shredRows(to *columns, s *slot, list unsafe.Pointer, rep, depth byte) {
	rows := *(*[]byte)(list) // only the address and the length in rows are used
	if len(rows) == 0 {
		for leaf := range s.leaves {
			to.none(s.leaf+leaf, rep, depth)
		}
	}
	for i := range len(rows) {
		if i > 0 {
			rep = depth + 1
		}
		shred(to, s.rows, unsafe.Add(unsafe.Pointer(unsafe.SliceData(rows)), uintptr(i)*s.size), rep, depth+1)
	}
}

func optional(to *columns, leaf int, rep, def byte, s *string) {
	if s == nil {
		to.none(leaf, rep, def)
		return
	}
	to.text(leaf, rep, def+1, *s)
}

func list(to *columns, leaf int, rep, def byte, items []string) {
	if len(items) == 0 {
		to.none(leaf, rep, def)
		return
	}
	for i, s := range items {
		if i > 0 {
			rep = def + 1
		}
		to.text(leaf, rep, def+1, s)
	}
}

// view returns a string that shares the memory of b, which must not change while the
// string is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
