package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// The columns that a content digest covers: a column's code in the digest is its
// index here, wherever it stands in the table. A code never changes and is never
// used again, since every published digest depends on it. A new column is added at
// the end, and changes the digest of every fixture once.
var (
	digestedOfFixtures = []string{"fixture_id", "home", "away", "league", "starts_at", "market_count", "source_provider",
		"provider_fixture_id", "absent"}
	digestedOfMarkets = []string{"fixture_id", "market_id", "ordinal", "market", "market_name", "period", "sections", "lines",
		"origin_type", "derivation_version", "selection_count", "provider_market_ids", "provider_market_key", "rule", "raw_reason", "absent",
		"selections.selection_id", "selections.selection", "selections.line", "selections.qualifier", "selections.odds_fractional",
		"selections.odds_decimal_text", "selections.odds_decimal", "selections.dimension", "selections.subject", "selections.subject_2",
		"selections.grid_row", "selections.grid_column", "selections.quality_status", "selections.publishable", "selections.reasons",
		"selections.provider_selection_id", "selections.absent", "selections.labels.field", "selections.labels.text"}
	// The retrieval time is not content, and the digest cannot cover itself.
	notDigested = []string{"provider_fetched_at", "content_digest"}

	fixtureCodes = sync.OnceValue(func() []int { return codesOf(specOf[FixtureRow](), digestedOfFixtures) })
	marketCodes  = sync.OnceValue(func() []int { return codesOf(specOf[MarketRow](), digestedOfMarkets) })
)

const (
	startsAtCode = 4
	notCovered   = -1 // the code of a column that is not in the digest
)

// codesOf returns the code of every leaf. It panics on a column that is neither
// covered nor left out on purpose: that is a mistake in this package.
func codesOf(s *spec, digested []string) []int {
	codes := make([]int, len(s.leaves))
	for i, l := range s.leaves {
		if codes[i] = slices.Index(digested, l.name); codes[i] < 0 && !slices.Contains(notDigested, l.name) {
			panic(fmt.Sprintf("table %s: digest.go does not say whether column %s is part of the content", s.name, l.name))
		}
	}
	return codes
}

// Digest is the content digest of a fixture and its markets: SHA-256, in hex,
// over every column but the retrieval time and the digest itself. Markets must
// be in the table's order. Two runs that found the same give the same digest.
func Digest(fixture FixtureRow, markets []MarketRow) string {
	fixture.MarketCount = int32(len(markets))
	d := digester{bytes: make([]byte, 0, 256+2048*len(markets)), codes: fixtureCodes()}
	row := specOf[FixtureRow]().schema.Deconstruct(nil, &fixture)
	pour(&d, slices.DeleteFunc(row, func(v parquet.Value) bool { // an unknown kick-off was never written
		return v.IsNull() && d.codes[v.Column()] == startsAtCode
	}))
	d.codes = marketCodes()
	for i := range markets {
		shredMarket(&d, &markets[i])
	}
	sum := sha256.Sum256(d.bytes)
	return hex.EncodeToString(sum[:])
}

// digester is a sink that writes one unambiguous sequence of bytes: the column's
// code, the levels, and the value as tally writes it.
type digester struct {
	bytes []byte
	codes []int // by leaf
}

// begin writes what precedes a value and reports whether the column is covered.
func (d *digester) begin(leaf int, rep, def byte) bool {
	if d.codes[leaf] == notCovered {
		return false
	}
	d.bytes = append(d.bytes, byte(d.codes[leaf]), rep<<4|def)
	return true
}

func (d *digester) none(leaf int, rep, def byte) { d.begin(leaf, rep, def) }

func (d *digester) text(leaf int, rep, def byte, s string) {
	if d.begin(leaf, rep, def) {
		d.bytes = binary.AppendUvarint(d.bytes, uint64(len(s)))
		d.bytes = append(d.bytes, s...)
	}
}

func (d *digester) number(leaf int, rep, def byte, bits uint64) {
	if d.begin(leaf, rep, def) {
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, bits)
	}
}
