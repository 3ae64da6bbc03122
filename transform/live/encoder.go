package live

import (
	"encoding/binary"
	"time"

	"mkt/publish/football"
)

func bitIf(is bool, bit int) int {
	if is {
		return bit
	}
	return 0
}

type encoder struct{ b []byte }

func (e *encoder) int(n int64) { e.b = binary.AppendVarint(e.b, n) }

func (e *encoder) len(n int) { e.b = binary.AppendUvarint(e.b, uint64(n)) }

func (e *encoder) byte(n int) { e.b = append(e.b, byte(n)) }

func (e *encoder) text(s string) { e.len(len(s)); e.b = append(e.b, s...) }

func (e *encoder) flag(f bool) {
	if f {
		e.byte(1)
		return
	}
	e.byte(0)
}

func (e *encoder) textField(f football.Field[string]) {
	e.byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.text(v)
	}
}

func (e *encoder) number(f football.Field[int]) {
	e.byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.int(int64(v))
	}
}

func (e *encoder) time(f football.Field[time.Time]) {
	e.byte(int(f.State()))
	if v, ok := f.Get(); ok {
		e.int(v.UnixMilli())
	}
}

func (e *encoder) mark(m uint32) { e.b = binary.BigEndian.AppendUint32(e.b, m) }
