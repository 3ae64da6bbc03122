package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// The codes of the columns, by leaf; see the tag digest of the row types.
var (
	fixtureCodes = sync.OnceValue(func() []int { return specOf[FixtureRow]().digestCodes() })
	marketCodes  = sync.OnceValue(func() []int { return specOf[MarketRow]().digestCodes() })
)

const (
	startsAtCode = 4
	notDigested  = -1
)

// Digest returns the content digest of a fixture and its markets: the SHA-256, in hex,
// of every column but the retrieval time and the digest itself. The markets must be
// in the table's order. Two runs that found the same content compute the same digest.
func Digest(fixture FixtureRow, markets []MarketRow) string {
	fixture.MarketCount = int32(len(markets))
	c := newColumns(specOf[MarketRow]())
	c.digest = new(digester)
	c.digest.begin(fixture)
	for i := range markets {
		shredMarket(c, &markets[i])
		c.reset() // only the digest is wanted
	}
	return c.digest.sum()
}

// begin begins the digest of a fixture; its markets follow.
func (d *digester) begin(fixture FixtureRow) {
	d.bytes, d.codes = d.bytes[:0], fixtureCodes()
	row := specOf[FixtureRow]().schema.Deconstruct(nil, &fixture)
	feed(d, slices.DeleteFunc(row, func(v parquet.Value) bool { // an unknown kick-off was never written
		return v.IsNull() && d.codes[v.Column()] == startsAtCode
	}))
	d.codes = marketCodes()
}

func (d *digester) sum() string {
	sum := sha256.Sum256(d.bytes)
	return hex.EncodeToString(sum[:])
}

// digester is a sink that writes one unambiguous sequence of bytes: the column's code,
// the levels, and the value as tally writes it.
type digester struct {
	bytes []byte
	codes []int // by leaf
}

// level writes what precedes a value; false if the digest does not cover the column.
func (d *digester) level(leaf int, rep, def byte) bool {
	if d.codes[leaf] == notDigested {
		return false
	}
	d.bytes = append(d.bytes, byte(d.codes[leaf]), rep<<4|def)
	return true
}

func (d *digester) none(leaf int, rep, def byte) { d.level(leaf, rep, def) }

func (d *digester) text(leaf int, rep, def byte, s string) {
	if d.level(leaf, rep, def) {
		d.bytes = binary.AppendUvarint(d.bytes, uint64(len(s)))
		d.bytes = append(d.bytes, s...)
	}
}

func (d *digester) number(leaf int, rep, def byte, bits uint64) {
	if d.level(leaf, rep, def) {
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, bits)
	}
}
