package content

import (
	"crypto/sha256"
	"encoding/hex"
	"unsafe"

	"mkt/publish/table"
	"mkt/publish/table/columnar"
)

// Of returns the bytes whose SHA-256 is the content digest of a fixture and its markets, see
// [Digest]. They have the rows, but for the columns that the digest leaves out. docs/receipt-format.md
// describes them.
func Of(fixture table.FixtureRow, markets []table.MarketRow) []byte {
	fixture.MarketCount = int32(len(markets))
	var d Digester
	d.Begin(fixture)
	for i := range markets {
		d.Add(&markets[i])
	}
	return d.bytes
}

// Digest returns the content digest of a fixture and its markets: the SHA-256, in hex, of every
// column but the retrieval time and the digest itself. The markets must be in the table's order.
// Two runs with the same content compute the same digest.
func Digest(fixture table.FixtureRow, markets []table.MarketRow) string {
	return (&Digester{bytes: Of(fixture, markets)}).Sum()
}

// Digester digests a fixture with its markets. The zero value is ready for use.
type Digester struct {
	bytes []byte
	codes []int // by leaf
}

// Begin begins the digest of a fixture; its markets follow.
func (d *Digester) Begin(fixture table.FixtureRow) {
	d.bytes, d.codes = d.bytes[:0], fixtureColumns().codes
	d.row(fixtureColumns().slots, unsafe.Pointer(&fixture), 0, 0)
	d.codes = marketColumns().codes
}

// Add adds the next market.
func (d *Digester) Add(m *table.MarketRow) { d.row(marketColumns().slots, unsafe.Pointer(m), 0, 0) }

// row adds a row, one nested row after the other. Each value adds its column's code, its levels,
// and the value as in a stream. The whole is an unambiguous sequence of bytes.
func (d *Digester) row(slots []columnar.Slot, row unsafe.Pointer, rep, depth byte) {
	b := d.bytes
	for i := range slots {
		s := &slots[i]
		at := unsafe.Add(row, s.Offset)
		if s.Kind == columnar.RowsSlot {
			d.bytes = b
			d.list(s, s.RowsAt(at), rep, depth)
			b = d.bytes
			continue
		}
		code := d.codes[s.Leaf]
		switch {
		case code == notDigested:
		case s.IsText:
			if text, ok := s.Text(at); ok {
				b = columnar.AppendText(append(b, byte(code), rep<<4|(depth+s.Optional)), text)
			} else if code < ifAny {
				b = append(b, byte(code), rep<<4|depth)
			}
		case s.Kind == columnar.TextsSlot:
			texts := *(*[]string)(at)
			if len(texts) == 0 && code < ifAny {
				b = append(b, byte(code), rep<<4|depth)
			}
			for n, text := range texts {
				level := rep<<4 | (depth + 1)
				if n > 0 {
					level = (depth+1)<<4 | (depth + 1)
				}
				b = columnar.AppendText(append(b, byte(code), level), text)
			}
		default:
			if bits, ok := s.Number(at); ok {
				// One append instead of two: this is the inner loop of every digest.
				b = append(b, byte(code), rep<<4|(depth+s.Optional), byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24),
					byte(bits>>32), byte(bits>>40), byte(bits>>48), byte(bits>>56))
			} else if code < ifAny {
				b = append(b, byte(code), rep<<4|depth)
			}
		}
	}
	d.bytes = b
}

// list adds the rows of a list.
func (d *Digester) list(s *columnar.Slot, rows columnar.Rows, rep, depth byte) {
	if rows.Len == 0 {
		for leaf := range s.Leaves {
			if code := d.codes[s.Leaf+leaf]; code != notDigested && code < ifAny {
				d.bytes = append(d.bytes, byte(code), rep<<4|depth)
			}
		}
	}
	for i := range rows.Len {
		d.row(s.Rows, rows.At(i), rep, depth+1)
		rep = depth + 1
	}
}

// Sum returns the digest, in hex.
func (d *Digester) Sum() string {
	sum := sha256.Sum256(d.bytes)
	return hex.EncodeToString(sum[:])
}
