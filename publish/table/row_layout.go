package table

import (
	"fmt"
	"reflect"
	"time"
)

// slot is a field of a row: its offset in the row's memory, and the leaf of the table.
// Slots are computed from the row's type, so that a column is added to the type alone.
type slot struct {
	kind   slotKind
	offset uintptr
	leaf   int  // of a list of rows, the first leaf
	depth  int  // 0 in the row itself, 1 in a row nested in it, and so on
	begins bool // the first leaf of a nested row
	leaves int  // the number of leaves: 1, or those of a list of rows
	// optional is 1 if the value may be null, which has a definition level of its own.
	optional byte
	isText   bool // one text at most
	// Of a list of rows: the slots of each row, the slot of each leaf, and the size of a row.
	rows  []slot
	below []*slot
	size  uintptr
}

type slotKind uint8

const (
	textSlot slotKind = iota
	optionalTextSlot
	textsSlot
	integerSlot
	booleanSlot
	optionalFloatSlot
	optionalIntegerSlot
	optionalBooleanSlot
	longSlot
	timeSlot
	optionalTimeSlot
	bytesSlot
	rowsSlot
)

var slotKinds = map[reflect.Type]slotKind{
	reflect.TypeFor[string]():   textSlot,
	reflect.TypeFor[*string]():  optionalTextSlot,
	reflect.TypeFor[[]string](): textsSlot,
	reflect.TypeFor[int32]():    integerSlot,
	reflect.TypeFor[bool]():     booleanSlot,
	reflect.TypeFor[*float64](): optionalFloatSlot,
	reflect.TypeFor[*int32]():   optionalIntegerSlot,
	reflect.TypeFor[*bool]():    optionalBooleanSlot,
	reflect.TypeFor[int64]():    longSlot,

	// Every time is in milliseconds.
	reflect.TypeFor[time.Time]():  timeSlot,
	reflect.TypeFor[*time.Time](): optionalTimeSlot,
	reflect.TypeFor[[]byte]():     bytesSlot,
}

var marketSlots = slotsOf(reflect.TypeFor[MarketRow](), 0, 0)

// slotsOf returns the slots of a row type. leaf is the number of its first leaf. It panics on an
// unknown type, which is a mistake in this package.
func slotsOf(row reflect.Type, leaf, depth int) []slot {
	slots := make([]slot, row.NumField())
	for i := range slots {
		f, s := row.Field(i), &slots[i]
		s.offset, s.leaf, s.depth, s.leaves, s.begins = f.Offset, leaf, depth, 1, i == 0 && depth > 0
		known := false
		if s.kind, known = slotKinds[f.Type]; !known {
			if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Struct {
				panic(fmt.Sprintf("table: %s.%s is a %s, which slots do not know", row, f.Name, f.Type))
			}
			s.kind, s.rows, s.size = rowsSlot, slotsOf(f.Type.Elem(), leaf, depth+1), f.Type.Elem().Size()
			for k := range s.rows {
				for range s.rows[k].leaves {
					s.below = append(s.below, &s.rows[k])
				}
			}
			s.leaves = len(s.below)
		}
		s.isText = s.kind == textSlot || s.kind == optionalTextSlot || s.kind == bytesSlot
		if f.Type.Kind() == reflect.Pointer {
			s.optional = 1
		}
		leaf += s.leaves
	}
	return slots
}
