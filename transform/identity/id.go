package identity

import "mkt/publish/football"

// Length of the base32 part of an id, and of the suffix of a market id.
const (
	idLength     = 26
	suffixLength = 8
)

// IDLength is the length of a fixture or selection id, and of a market id
// without a suffix.
const IDLength = 3 + idLength

// FixtureID is the id cut from a fixture's digest.
func (d Digest) FixtureID() football.FixtureID { return football.FixtureID(d.id("fx_")) }

// MarketID is the id cut from a market's digest.
func (d Digest) MarketID() football.MarketID { return football.MarketID(d.id("mk_")) }

// SelectionID is the id cut from a selection's digest.
func (d Digest) SelectionID() football.SelectionID { return football.SelectionID(d.id("sl_")) }

func (d Digest) id(prefix string) string {
	return string(d.append(make([]byte, 0, IDLength), prefix))
}

// AppendSelectionID appends the selection id to b: many ids, one allocation.
func (d Digest) AppendSelectionID(b []byte) []byte { return d.append(b, "sl_") }

func (d Digest) append(b []byte, prefix string) []byte {
	return appendBase32(append(b, prefix...), &d, idLength)
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

// appendBase32 appends the first n characters of d in base32 (RFC 4648, lower
// case, unpadded).
func appendBase32(b []byte, d *Digest, n int) []byte {
	var bits uint32
	var have uint
	next := 0
	for range n {
		if have < 5 {
			bits = bits<<8 | uint32(d[next])
			next++
			have += 8
		}
		have -= 5
		b = append(b, alphabet[bits>>have&31])
	}
	return b
}
