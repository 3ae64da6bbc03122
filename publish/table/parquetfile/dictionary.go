package parquetfile

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// dictionary numbers the distinct values of a chunk, either texts or numbers, in the order of
// their first appearance.
type dictionary struct {
	entries []byte // all values, as in the dictionary page
	ends    []int  // the end of each in entries
	isText  bool   // each follows its length, in four bytes

	slots []valueSlot // a hash table with open addressing; its size is a power of two
	shift int         // 64 less the bits of a place in slots
	last  valueSlot   // the value found last in this page, since values often repeat
}

// valueSlot has the key of a value. The key of a number is the number. The key of a short text is
// its bytes, with the length in the highest byte. The key of a long text is its hash, with
// longText in that byte: only keys of long texts can be equal for different values.
type valueSlot struct {
	key   uint64
	entry int32 // the number of the value plus 1; 0 if the slot is free
}

const (
	shortText = 7 // the most bytes of a text that is its own key
	longText  = 0xff << 56
)

// seed and spread only decide where a search begins: they do not change a file.
var (
	seed   = maphash.MakeSeed()
	spread = rand.Uint64() | 1
)

// reset removes all values and keeps the memory.
func (d *dictionary) reset() {
	clear(d.slots)
	d.entries, d.ends, d.last = d.entries[:0], d.ends[:0], valueSlot{}
}

// text returns the number of a text, which it adds if it is new.
func (d *dictionary) text(text string) int32 {
	n := len(text)
	if n > shortText {
		return d.number(maphash.String(seed, text)|longText, text, true)
	}
	key := uint64(n) << 56
	if n >= 4 {
		key |= uint64(fourBytes(text)) | uint64(fourBytes(text[n-4:]))>>(64-8*n)<<32
	} else if n > 0 {
		key |= uint64(text[0]) | uint64(text[n/2])<<8 | uint64(text[n-1])<<16
	}
	return d.number(key, text, false)
}

// fourBytes returns the first bytes of a text.
func fourBytes(text string) uint32 {
	_ = text[3]
	return uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
}

// plain returns the number of a number in Parquet's plain encoding, which it adds if it is new.
func (d *dictionary) plain(bits uint64, plain []byte) int32 {
	return d.number(bits, view(plain), false)
}

// number returns the number of a value, which it adds if it is new. If the key is a hash, the
// values of an equal key are compared.
func (d *dictionary) number(key uint64, value string, isHash bool) int32 {
	if d.last.key == key && d.last.entry > 0 && (!isHash || string(d.value(d.last.entry-1)) == value) {
		return d.last.entry - 1
	}
	if 2*len(d.ends) >= len(d.slots) {
		d.grow()
	}
	mask := len(d.slots) - 1
	for i := d.place(key); ; i = (i + 1) & mask {
		slot := &d.slots[i]
		if slot.entry == 0 {
			if d.isText {
				d.entries = binary.LittleEndian.AppendUint32(d.entries, uint32(len(value)))
			}
			d.entries = append(d.entries, value...)
			d.ends = append(d.ends, len(d.entries))
			*slot = valueSlot{key, int32(len(d.ends))}
		} else if slot.key != key || isHash && string(d.value(slot.entry-1)) != value {
			continue
		}
		d.last = *slot
		return slot.entry - 1
	}
}

// place returns the slot at which the search for a key begins.
func (d *dictionary) place(key uint64) int { return int(key * spread >> d.shift) }

// value returns a value by its number. It is valid until the dictionary is reset.
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
	d.slots = make([]valueSlot, max(64, 2*len(before)))
	mask := len(d.slots) - 1
	d.shift = 64 - bits.Len(uint(mask))
	for _, slot := range before {
		if slot.entry == 0 {
			continue
		}
		i := d.place(slot.key)
		for d.slots[i].entry != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = slot
	}
}

// view returns a string that shares the memory of b. b must not change while the string is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
