package table

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// dictionary numbers the distinct values of a chunk in the order in which they appear.
type dictionary struct {
	entries []byte // all values, as the dictionary page has them
	ends    []int  // where each ends there
	isText  bool   // the length of each, in four bytes, precedes it

	slots []slotOfHash // a hash table with open addressing; its size is a power of two
	last  int32        // the value that was found last in this page plus 1, since values often repeat; 0 if none was
}

type slotOfHash struct {
	hash  uint32
	entry int32 // the number of the value plus 1; 0 if the slot is free
}

// seed does not change a file: a hash decides only where a value is looked for.
var seed = maphash.MakeSeed()

// reset removes all values and keeps the memory.
func (d *dictionary) reset() {
	clear(d.slots)
	d.entries, d.ends, d.last = d.entries[:0], d.ends[:0], 0
}

// number returns the number of a value, which it adds if it is new.
func (d *dictionary) number(value []byte) int32 {
	if d.last > 0 && bytes.Equal(d.value(d.last-1), value) {
		return d.last - 1
	}
	if 2*len(d.ends) >= len(d.slots) {
		d.grow()
	}
	hash := uint32(maphash.Bytes(seed, value))
	slot := d.find(hash, value)
	if slot.entry == 0 {
		if d.isText {
			d.entries = binary.LittleEndian.AppendUint32(d.entries, uint32(len(value)))
		}
		d.entries = append(d.entries, value...)
		d.ends = append(d.ends, len(d.entries))
		*slot = slotOfHash{hash, int32(len(d.ends))}
	}
	d.last = slot.entry
	return d.last - 1
}

// find returns the slot of a value, a free one if it is new.
func (d *dictionary) find(hash uint32, value []byte) *slotOfHash {
	mask := uint32(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &d.slots[i]
		if slot.entry == 0 || slot.hash == hash && bytes.Equal(d.value(slot.entry-1), value) {
			return slot
		}
	}
}

func (d *dictionary) value(number int32) []byte {
	from := 0
	if number > 0 {
		from = d.ends[number-1]
	}
	if d.isText {
		from += 4
	}
	return d.entries[from:d.ends[number]]
}

// grow doubles the hash table.
func (d *dictionary) grow() {
	before := d.slots
	d.slots = make([]slotOfHash, max(64, 2*len(before)))
	mask := uint32(len(d.slots) - 1)
	for _, slot := range before {
		if slot.entry == 0 {
			continue
		}
		i := slot.hash & mask
		for d.slots[i].entry != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = slot
	}
}
