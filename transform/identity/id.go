package identity

import (
	"crypto/sha256"

	"mkt/publish/football"
)

// Length of the base32 part of an id, and of the suffix of a market id.
const (
	idLength     = 26
	suffixLength = 8
)

// IDLength is the length of a fixture or selection id, and of a market id
// without a suffix.
const IDLength = 3 + idLength

// Digest is the full hash of one identity. Its id is cut from it, and the messages of the
// identities below begin with it.
type Digest [sha256.Size]byte

// FixtureID is the id of a fixture with this digest.
func (d Digest) FixtureID() football.FixtureID { return football.FixtureID(d.id("fx_")) }

// MarketID is the id of a market with this digest.
func (d Digest) MarketID() football.MarketID { return football.MarketID(d.id("mk_")) }

// SelectionID is the id of a selection with this digest.
func (d Digest) SelectionID() football.SelectionID { return football.SelectionID(d.id("sl_")) }

func (d Digest) id(prefix string) string {
	return string(d.append(make([]byte, 0, IDLength), prefix))
}

// AppendSelectionID appends the selection id to b, which saves an allocation for each id.
func (d Digest) AppendSelectionID(b []byte) []byte { return d.append(b, "sl_") }

func (d Digest) append(b []byte, prefix string) []byte {
	return appendBase32(append(b, prefix...), &d, idLength)
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

// appendBase32 appends the first n characters of d in base32 (RFC 4648, lower case,
// unpadded), n at most 40.
func appendBase32(b []byte, d *Digest, n int) []byte {
	for at := 0; n > 0; at += 5 {
		var c [8]byte // five bytes give eight characters
		bits := uint64(d[at])<<32 | uint64(d[at+1])<<24 | uint64(d[at+2])<<16 | uint64(d[at+3])<<8 | uint64(d[at+4])
		for i := range c {
			c[i] = alphabet[bits>>(35-5*i)&31]
		}
		b = append(b, c[:min(n, 8)]...)
		n -= 8
	}
	return b
}
