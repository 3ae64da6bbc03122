package table

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"unsafe"
)

// The codes of the columns, by leaf; see the tag digest of the row types.
var (
	fixtureCodes = func() []int { return specOf[FixtureRow]().codes() }
	marketCodes  = func() []int { return specOf[MarketRow]().codes() }

	// Of a fixture without a kick-off: a missing kick-off was never digested.
	codesWithoutStart = sync.OnceValue(func() []int {
		codes := slices.Clone(fixtureCodes())
		codes[slices.Index(codes, startsAtCode)] = notDigested
		return codes
	})
)

const (
	startsAtCode = 4
	notDigested  = -1
)

// Digest returns the content digest of a fixture and its markets: the SHA-256, in hex, of every
// column but the retrieval time and the digest itself. The markets must be in the table's order.
// Two runs with the same content compute the same digest.
func Digest(fixture FixtureRow, markets []MarketRow) string {
	return (&digester{bytes: Content(fixture, markets)}).sum()
}

// begin begins the digest of a fixture; its markets follow.
func (d *digester) begin(fixture FixtureRow) {
	d.bytes, d.codes = d.bytes[:0], fixtureCodes()
	if fixture.StartsAt == nil {
		d.codes = codesWithoutStart()
	}
	d.row(specOf[FixtureRow]().slots, unsafe.Pointer(&fixture), 0, 0)
	d.codes = marketCodes()
}

func (d *digester) market(m *MarketRow) { d.row(marketSlots, unsafe.Pointer(m), 0, 0) }

// row adds a row, one nested row after the other. Each value adds its column's code, its levels,
// and the value as in a stream. The whole is an unambiguous sequence of bytes.
func (d *digester) row(slots []slot, row unsafe.Pointer, rep, depth byte) {
	b := d.bytes
	for i := range slots {
		s := &slots[i]
		at := unsafe.Add(row, s.offset)
		if s.kind == rowsSlot {
			d.bytes = b
			d.list(s, s.rowsAt(at), rep, depth)
			b = d.bytes
			continue
		}
		code := d.codes[s.leaf]
		switch {
		case code == notDigested:
		case s.isText:
			if text, ok := s.text(at); ok {
				b = appendText(append(b, byte(code), rep<<4|(depth+s.optional)), text)
			} else {
				b = append(b, byte(code), rep<<4|depth)
			}
		case s.kind == textsSlot:
			texts := *(*[]string)(at)
			if len(texts) == 0 {
				b = append(b, byte(code), rep<<4|depth)
			}
			for n, text := range texts {
				level := rep<<4 | (depth + 1)
				if n > 0 {
					level = (depth+1)<<4 | (depth + 1)
				}
				b = appendText(append(b, byte(code), level), text)
			}
		default:
			if bits, ok := s.number(at); ok {
				// One append instead of two: this is the inner loop of every digest.
				b = append(b, byte(code), rep<<4|(depth+s.optional), byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24),
					byte(bits>>32), byte(bits>>40), byte(bits>>48), byte(bits>>56))
			} else {
				b = append(b, byte(code), rep<<4|depth)
			}
		}
	}
	d.bytes = b
}

// list adds the rows of a list.
func (d *digester) list(s *slot, rows someRows, rep, depth byte) {
	if rows.n == 0 {
		for leaf := range s.leaves {
			if code := d.codes[s.leaf+leaf]; code != notDigested {
				d.bytes = append(d.bytes, byte(code), rep<<4|depth)
			}
		}
	}
	for i := range rows.n {
		d.row(s.rows, unsafe.Add(rows.first, uintptr(i)*rows.size), rep, depth+1)
		rep = depth + 1
	}
}

func (d *digester) sum() string {
	sum := sha256.Sum256(d.bytes)
	return hex.EncodeToString(sum[:])
}

// digester digests a fixture with its markets.
type digester struct {
	bytes []byte
	codes []int // by leaf
}
