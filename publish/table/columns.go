package table

import (
	"encoding/binary"
	"errors"
)

// columns holds rows column by column. Rows are hashed and encoded in this form, and kept in it
// from the reading of a payload until the writing of a table.
type columns struct {
	spec   *spec
	leaves []stream
	rows   int
}

// stream holds the values of a leaf in the form of [parquetfile.ColumnWriter.Add].
type stream struct {
	bytes  []byte
	counts Counts
	// nullAt is the definition level of a null, as opposed to an empty list; -1 if the column has
	// no nulls.
	nullAt int
	named  map[string][]int // of an absent list: the leaves of each name
}

func newColumns(s *spec) *columns {
	c := &columns{spec: s, leaves: make([]stream, len(s.leaves))}
	for i, l := range s.leaves {
		c.leaves[i].nullAt = -1
		if l.Optional {
			c.leaves[i].nullAt = int(l.MaxDef) - 1
		}
	}
	for _, list := range s.absent {
		c.leaves[list.leaf].named = list.named
	}
	return c
}

func (c *columns) none(leaf int, rep, def byte) { c.leaves[leaf].none(rep, def) }

func (c *columns) text(leaf int, rep, def byte, text string) {
	s := &c.leaves[leaf]
	s.text(rep, def, text)
	if s.named != nil {
		for _, other := range s.named[text] {
			c.leaves[other].counts.Absent++
			c.leaves[other].counts.Null--
		}
	}
}

func (c *columns) number(leaf int, rep, def byte, bits uint64) { c.leaves[leaf].number(rep, def, bits) }

func (s *stream) none(rep, def byte) {
	s.bytes = append(s.bytes, rep<<4|def)
	if int(def) == s.nullAt {
		s.counts.Null++ // else an empty list: no element to count
	}
}

func (s *stream) text(rep, def byte, text string) {
	s.bytes = appendText(append(s.bytes, rep<<4|def), text)
	s.count(text == "")
}

func (s *stream) number(rep, def byte, bits uint64) {
	s.bytes = binary.LittleEndian.AppendUint64(append(s.bytes, rep<<4|def), bits)
	s.count(bits == 0)
}

// appendText appends a text behind its length.
func appendText(b []byte, text string) []byte {
	if len(text) < 0x80 { // inlined AppendUvarint
		b = append(b, byte(len(text)))
	} else {
		b = binary.AppendUvarint(b, uint64(len(text)))
	}
	return append(b, text...)
}

func (s *stream) count(zero bool) {
	if zero {
		s.counts.Zero++
		return
	}
	s.counts.Value++
}

// size is the number of bytes of all streams.
func (c *columns) size() (n int) {
	for i := range c.leaves {
		n += len(c.leaves[i].bytes)
	}
	return n
}

// reset removes all rows and keeps the memory.
func (c *columns) reset() {
	c.rows = 0
	for i := range c.leaves {
		s := &c.leaves[i]
		s.bytes, s.counts = s.bytes[:0], Counts{}
	}
}

// appendTo appends all rows to dst, to be read by load.
func (c *columns) appendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(c.rows))
	for i := range c.leaves {
		s := &c.leaves[i]
		for _, n := range s.counts.all() {
			dst = binary.AppendVarint(dst, *n)
		}
		dst = binary.AppendUvarint(dst, uint64(len(s.bytes)))
	}
	for i := range c.leaves {
		dst = append(dst, c.leaves[i].bytes...)
	}
	return dst
}

var errEncoded = errors.New("not rows as they were encoded")

// load replaces the rows by those written by appendTo. The streams share the memory of data.
func (c *columns) load(data []byte) error {
	failed := false
	next := func() uint64 {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			failed = true
			return 0
		}
		data = data[size:]
		return n
	}
	c.rows = int(next())
	sizes := make([]uint64, len(c.leaves))
	for i := range c.leaves {
		for _, n := range c.leaves[i].counts.all() {
			signed := next()
			*n = int64(signed>>1) ^ -int64(signed&1)
		}
		sizes[i] = next()
	}
	for i := range c.leaves {
		if failed || sizes[i] > uint64(len(data)) {
			return errEncoded
		}
		c.leaves[i].bytes, data = data[:sizes[i]:sizes[i]], data[sizes[i]:]
	}
	if len(data) > 0 {
		return errEncoded
	}
	return nil
}

func (c *Counts) all() [4]*int64 { return [4]*int64{&c.Absent, &c.Null, &c.Zero, &c.Value} }

func (c *Counts) add(other Counts) {
	c.Absent += other.Absent
	c.Null += other.Null
	c.Zero += other.Zero
	c.Value += other.Value
}
