package live

import (
	"encoding/binary"
	"time"

	"mkt/publish/football"
)

// decoder reads the parts of a state from b. After the first failure it returns zeros.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) fail() { d.failed, d.b = true, nil }

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) whole() int {
	n := d.int()
	if n < -1<<31 || n > 1<<31 {
		d.fail()
		return 0
	}
	return int(n)
}

// len reads a length or code of at most most. If each item takes size bytes, the rest must have
// enough for all.
func (d *decoder) len(most, size int) int {
	n, used := binary.Uvarint(d.b)
	if used <= 0 || n > uint64(most) || int(n)*size > len(d.b)-used {
		d.fail()
		return 0
	}
	d.b = d.b[used:]
	return int(n)
}

func (d *decoder) code(limit int) int {
	if len(d.b) == 0 || int(d.b[0]) >= limit {
		d.fail()
		return 0
	}
	n := d.b[0]
	d.b = d.b[1:]
	return int(n)
}

func (d *decoder) mark() uint32 {
	if len(d.b) < 4 {
		d.fail()
		return 0
	}
	m := binary.BigEndian.Uint32(d.b)
	d.b = d.b[4:]
	return m
}

func (d *decoder) flag() bool { return d.code(2) == 1 }

func (d *decoder) text() string {
	n := d.len(maxText, 1)
	text := string(d.b[:n])
	d.b = d.b[n:]
	return text
}

func fieldOf[T any](d *decoder, value func() T) football.Field[T] {
	switch football.State(d.code(3)) {
	case football.Null:
		return football.NullField[T]()
	case football.Present:
		return football.Of(value())
	}
	return football.Field[T]{}
}

func (d *decoder) textField() football.Field[string] { return fieldOf(d, d.text) }
func (d *decoder) number() football.Field[int]       { return fieldOf(d, d.whole) }
func (d *decoder) time() football.Field[time.Time] {
	return fieldOf(d, func() time.Time { return time.UnixMilli(d.int()).UTC() })
}
