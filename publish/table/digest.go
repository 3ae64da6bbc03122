package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest is the content digest of a fixture and its markets: SHA-256, in hex,
// over every column but the retrieval time and the digest itself. Markets must
// be in the table's order. Two runs that found the same give the same digest.
func Digest(fixture FixtureRow, markets []MarketRow) string {
	d := digester{make([]byte, 0, 256+2048*len(markets))}
	d.text(0, 0, 0, fixture.FixtureID)
	optional(&d, 1, 0, 0, fixture.Home)
	optional(&d, 2, 0, 0, fixture.Away)
	optional(&d, 3, 0, 0, fixture.League)
	if fixture.StartsAt != nil {
		d.number(4, 0, 1, uint64(fixture.StartsAt.UnixMilli()))
	}
	d.number(5, 0, 0, uint64(len(markets)))
	d.text(6, 0, 0, fixture.SourceProvider)
	d.text(7, 0, 0, fixture.ProviderFixtureID)
	list(&d, 8, 0, 0, fixture.Absent)
	for i := range markets {
		shredMarket(&d, &markets[i])
	}
	sum := sha256.Sum256(d.bytes)
	return hex.EncodeToString(sum[:])
}

// digester is a sink that writes one unambiguous run of bytes: place, levels,
// and the value as tally writes it.
type digester struct{ bytes []byte }

func (d *digester) none(leaf int, rep, def byte) {
	d.bytes = append(d.bytes, byte(leaf), rep<<4|def)
}

func (d *digester) text(leaf int, rep, def byte, s string) {
	d.none(leaf, rep, def)
	d.bytes = binary.AppendUvarint(d.bytes, uint64(len(s)))
	d.bytes = append(d.bytes, s...)
}

func (d *digester) number(leaf int, rep, def byte, bits uint64) {
	d.none(leaf, rep, def)
	d.bytes = binary.LittleEndian.AppendUint64(d.bytes, bits)
}
