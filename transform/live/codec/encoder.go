package codec

import (
	"encoding/binary"
	"time"

	"mkt/publish/football"
)

// Bit returns bit if is, and otherwise 0.
func Bit(is bool, bit int) int {
	if is {
		return bit
	}
	return 0
}

// Encoder appends the parts of a state to B.
type Encoder struct{ B []byte }

func (e *Encoder) Int(n int64) { e.B = binary.AppendVarint(e.B, n) }

func (e *Encoder) Len(n int) { e.B = binary.AppendUvarint(e.B, uint64(n)) }

func (e *Encoder) Byte(n int) { e.B = append(e.B, byte(n)) }

func (e *Encoder) Text(s string) { e.Len(len(s)); e.B = append(e.B, s...) }

func (e *Encoder) Flag(f bool) {
	if f {
		e.Byte(1)
		return
	}
	e.Byte(0)
}

func (e *Encoder) TextField(f football.Field[string]) {
	e.Byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.Text(v)
	}
}

func (e *Encoder) Number(f football.Field[int]) {
	e.Byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.Int(int64(v))
	}
}

func (e *Encoder) Time(f football.Field[time.Time]) {
	e.Byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.Int(v.UnixMilli())
	}
}

func (e *Encoder) Mark(m uint32) { e.B = binary.BigEndian.AppendUint32(e.B, m) }
