package table

import (
	"math"
	"time"
	"unsafe"
)

// shredMarket adds a market to columns. See shred.
func shredMarket(to *columns, m *MarketRow) { shred(to, marketSlots, unsafe.Pointer(m), 0, 0) }

// shred is a faster feed(to, schema.Deconstruct(row)), one nested row after the other. A test
// compares the two.
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
			optionalNumber(to, s.leaf, rep, depth, *(**float64)(at), math.Float64bits)
		case optionalIntegerSlot:
			optionalNumber(to, s.leaf, rep, depth, *(**int32)(at), func(n int32) uint64 { return uint64(int64(n)) })
		case optionalBooleanSlot:
			optionalNumber(to, s.leaf, rep, depth, *(**bool)(at), truth)
		case longSlot:
			to.number(s.leaf, rep, depth, uint64(*(*int64)(at)))
		case timeSlot:
			to.number(s.leaf, rep, depth, milliseconds(*(*time.Time)(at)))
		case optionalTimeSlot:
			optionalNumber(to, s.leaf, rep, depth, *(**time.Time)(at), milliseconds)
		case bytesSlot:
			to.text(s.leaf, rep, depth, view(*(*[]byte)(at)))
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

func optionalNumber[V any](to *columns, leaf int, rep, def byte, value *V, bits func(V) uint64) {
	if value == nil {
		to.none(leaf, rep, def)
		return
	}
	to.number(leaf, rep, def+1, bits(*value))
}

func milliseconds(t time.Time) uint64 { return uint64(t.UnixMilli()) }

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
