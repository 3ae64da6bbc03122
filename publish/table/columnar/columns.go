package columnar

import (
	"encoding/binary"
	"errors"
)

// Columns holds rows column by column. Rows are hashed and encoded in this form, and kept in it
// from the reading of a payload until the writing of a table.
type Columns struct {
	Leaves []Stream
	Rows   int
	layout *Layout
}

// Stream holds the values of a leaf in the form of [parquetfile.ColumnWriter.Add].
type Stream struct {
	Bytes  []byte
	Counts Counts
	// nullAt is the definition level of a null, as opposed to an empty list; -1 if the column has
	// no nulls.
	nullAt int
	named  map[string][]int // of an absent list: the leaves of each name
}

// NewColumns returns columns without rows.
func NewColumns(s *Layout) *Columns {
	c := &Columns{layout: s, Leaves: make([]Stream, len(s.Leaves))}
	for i, l := range s.Leaves {
		c.Leaves[i].nullAt = -1
		if l.Optional {
			c.Leaves[i].nullAt = int(l.MaxDef) - 1
		}
	}
	for _, list := range s.absent {
		c.Leaves[list.leaf].named = list.named
	}
	return c
}

func (c *Columns) none(leaf int, rep, def byte) { c.Leaves[leaf].none(rep, def) }

func (c *Columns) text(leaf int, rep, def byte, text string) {
	s := &c.Leaves[leaf]
	s.text(rep, def, text)
	if s.named != nil {
		for _, other := range s.named[text] {
			c.Leaves[other].Counts.Absent++
			c.Leaves[other].Counts.Null--
		}
	}
}

func (c *Columns) number(leaf int, rep, def byte, bits uint64) { c.Leaves[leaf].number(rep, def, bits) }

func (s *Stream) none(rep, def byte) {
	s.Bytes = append(s.Bytes, rep<<4|def)
	if int(def) == s.nullAt {
		s.Counts.Null++ // else an empty list: no element to count
	}
}

func (s *Stream) text(rep, def byte, text string) {
	s.Bytes = AppendText(append(s.Bytes, rep<<4|def), text)
	s.count(text == "")
}

func (s *Stream) number(rep, def byte, bits uint64) {
	s.Bytes = binary.LittleEndian.AppendUint64(append(s.Bytes, rep<<4|def), bits)
	s.count(bits == 0)
}

func (s *Stream) count(zero bool) {
	if zero {
		s.Counts.Zero++
		return
	}
	s.Counts.Value++
}

// Size is the number of bytes of all streams.
func (c *Columns) Size() (n int) {
	for i := range c.Leaves {
		n += len(c.Leaves[i].Bytes)
	}
	return n
}

// Reset removes all rows and keeps the memory.
func (c *Columns) Reset() {
	c.Rows = 0
	for i := range c.Leaves {
		s := &c.Leaves[i]
		s.Bytes, s.Counts = s.Bytes[:0], Counts{}
	}
}

// AppendTo appends all rows to dst, to be read by Load.
func (c *Columns) AppendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(c.Rows))
	for i := range c.Leaves {
		s := &c.Leaves[i]
		for _, n := range s.Counts.all() {
			dst = binary.AppendVarint(dst, *n)
		}
		dst = binary.AppendUvarint(dst, uint64(len(s.Bytes)))
	}
	for i := range c.Leaves {
		dst = append(dst, c.Leaves[i].Bytes...)
	}
	return dst
}

var errEncoded = errors.New("not rows as they were encoded")

// Load replaces the rows by those written by AppendTo. The streams share the memory of data.
func (c *Columns) Load(data []byte) error {
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
	c.Rows = int(next())
	sizes := make([]uint64, len(c.Leaves))
	for i := range c.Leaves {
		for _, n := range c.Leaves[i].Counts.all() {
			signed := next()
			*n = int64(signed>>1) ^ -int64(signed&1)
		}
		sizes[i] = next()
	}
	for i := range c.Leaves {
		if failed || sizes[i] > uint64(len(data)) {
			return errEncoded
		}
		c.Leaves[i].Bytes, data = data[:sizes[i]:sizes[i]], data[sizes[i]:]
	}
	if len(data) > 0 {
		return errEncoded
	}
	return nil
}

// Append adds the rows of other columns of the same layout.
func (c *Columns) Append(other *Columns) {
	for i := range c.Leaves {
		to, from := &c.Leaves[i], &other.Leaves[i]
		to.Bytes = append(to.Bytes, from.Bytes...)
		to.Counts.Add(from.Counts)
	}
	c.Rows += other.Rows
}
