package codec

import (
	"encoding/binary"
	"time"

	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// Decoder reads the parts of a state from B. After the first failure it returns zeros.
type Decoder struct {
	B      []byte
	Failed bool
}

func (d *Decoder) Fail() { d.Failed, d.B = true, nil }

func (d *Decoder) Int() int64 {
	n, size := binary.Varint(d.B)
	if size <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[size:]
	return n
}

func (d *Decoder) Whole() int {
	n := d.Int()
	if n < -1<<31 || n > 1<<31 {
		d.Fail()
		return 0
	}
	return int(n)
}

// Len reads a length or code of at most most. If each item takes size bytes, the rest must have
// enough for all.
func (d *Decoder) Len(most, size int) int {
	n, used := binary.Uvarint(d.B)
	if used <= 0 || n > uint64(most) || int(n)*size > len(d.B)-used {
		d.Fail()
		return 0
	}
	d.B = d.B[used:]
	return int(n)
}

func (d *Decoder) Code(limit int) int {
	if len(d.B) == 0 || int(d.B[0]) >= limit {
		d.Fail()
		return 0
	}
	n := d.B[0]
	d.B = d.B[1:]
	return int(n)
}

func (d *Decoder) Mark() uint32 {
	if len(d.B) < 4 {
		d.Fail()
		return 0
	}
	m := binary.BigEndian.Uint32(d.B)
	d.B = d.B[4:]
	return m
}

func (d *Decoder) Flag() bool { return d.Code(2) == 1 }

func (d *Decoder) Text() string {
	n := d.Len(rules.MaxText, 1)
	text := string(d.B[:n])
	d.B = d.B[n:]
	return text
}

// TextOf is Text without a copy. all is the text of all bytes, of which B are the last.
func (d *Decoder) TextOf(all string) string {
	n := d.Len(rules.MaxText, 1)
	from := len(all) - len(d.B)
	d.B = d.B[n:]
	return all[from : from+n]
}

func FieldOf[T any](d *Decoder, value func() T) football.Field[T] {
	switch football.State(d.Code(3)) {
	case football.Null:
		return football.NullField[T]()
	case football.Present:
		return football.Of(value())
	}
	return football.Field[T]{}
}

func (d *Decoder) TextField() football.Field[string] { return FieldOf(d, d.Text) }
func (d *Decoder) Number() football.Field[int]       { return FieldOf(d, d.Whole) }
func (d *Decoder) Time() football.Field[time.Time] {
	return FieldOf(d, func() time.Time { return time.UnixMilli(d.Int()).UTC() })
}
