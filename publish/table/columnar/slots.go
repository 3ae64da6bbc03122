package columnar

import (
	"fmt"
	"reflect"
	"time"
)

// Slot is a field of a row: its offset in the row's memory, and the leaf of the table.
// Slots are computed from the row's type, so that a column is added to the type alone.
type Slot struct {
	Kind   SlotKind
	Offset uintptr
	Leaf   int  // of a list of rows, the first leaf
	depth  int  // 0 in the row itself, 1 in a row nested in it, and so on
	begins bool // the first leaf of a nested row
	Leaves int  // the number of leaves: 1, or those of a list of rows
	// Optional is 1 if the value may be null, which has a definition level of its own.
	Optional byte
	IsText   bool // one text at most
	// Of a list of rows: the slots of each row, the slot of each leaf, and the size of a row.
	Rows  []Slot
	below []*Slot
	size  uintptr
}

// SlotKind is the kind of a field.
type SlotKind uint8

const (
	TextSlot SlotKind = iota
	OptionalTextSlot
	TextsSlot
	IntegerSlot
	BooleanSlot
	OptionalFloatSlot
	OptionalIntegerSlot
	OptionalBooleanSlot
	LongSlot
	TimeSlot
	OptionalTimeSlot
	BytesSlot
	RowsSlot
)

var kindsOfTypes = map[reflect.Type]SlotKind{
	reflect.TypeFor[string]():   TextSlot,
	reflect.TypeFor[*string]():  OptionalTextSlot,
	reflect.TypeFor[[]string](): TextsSlot,
	reflect.TypeFor[int32]():    IntegerSlot,
	reflect.TypeFor[bool]():     BooleanSlot,
	reflect.TypeFor[*float64](): OptionalFloatSlot,
	reflect.TypeFor[*int32]():   OptionalIntegerSlot,
	reflect.TypeFor[*bool]():    OptionalBooleanSlot,
	reflect.TypeFor[int64]():    LongSlot,

	// Every time is in milliseconds.
	reflect.TypeFor[time.Time]():  TimeSlot,
	reflect.TypeFor[*time.Time](): OptionalTimeSlot,
	reflect.TypeFor[[]byte]():     BytesSlot,
}

// slotsOf returns the slots of a row type. leaf is the number of its first leaf. It panics on an
// unknown type, which is a mistake in this package.
func slotsOf(row reflect.Type, leaf, depth int) []Slot {
	slots := make([]Slot, row.NumField())
	for i := range slots {
		f, s := row.Field(i), &slots[i]
		s.Offset, s.Leaf, s.depth, s.Leaves, s.begins = f.Offset, leaf, depth, 1, i == 0 && depth > 0
		known := false
		if s.Kind, known = kindsOfTypes[f.Type]; !known {
			if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Struct {
				panic(fmt.Sprintf("table: %s.%s is a %s, which slots do not know", row, f.Name, f.Type))
			}
			s.Kind, s.Rows, s.size = RowsSlot, slotsOf(f.Type.Elem(), leaf, depth+1), f.Type.Elem().Size()
			for k := range s.Rows {
				for range s.Rows[k].Leaves {
					s.below = append(s.below, &s.Rows[k])
				}
			}
			s.Leaves = len(s.below)
		}
		s.IsText = s.Kind == TextSlot || s.Kind == OptionalTextSlot || s.Kind == BytesSlot
		if f.Type.Kind() == reflect.Pointer {
			s.Optional = 1
		}
		leaf += s.Leaves
	}
	return slots
}
