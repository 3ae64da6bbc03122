package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/parquet-go/parquet-go"
)

// Summary describes the rows of a table in the manifest.
type Summary struct {
	Rows int64 `json:"rows"`
	// Digest of the rows' logical content, independent of the Parquet library:
	// SHA-256 over each column's name and the SHA-256 of its values with their
	// levels. See tally for the exact bytes.
	Digest  string            `json:"digest"`
	Columns map[string]Counts `json:"columns"`
}

// Counts is how often each state occurs in a column, for nested columns among its
// elements.
type Counts struct {
	Absent int64 `json:"absent"`
	Null   int64 `json:"null"`
	Zero   int64 `json:"zero"` // the value 0, false or ""
	Value  int64 `json:"value"`
}

// sink receives the values of rows, leaf by leaf, with Parquet's repetition and
// definition levels.
type sink interface {
	none(leaf int, rep, def byte)
	text(leaf int, rep, def byte, s string)
	number(leaf int, rep, def byte, bits uint64) // integers, booleans, and a float's IEEE 754 bits
}

// tally counts and hashes. Each leaf has a stream of its own: for every value one byte
// (repetition level × 16 + definition level), then, unless it is null, a text as its
// length in unsigned varint and its bytes, or a number as eight bytes, little endian.
type tally struct {
	spec    *spec
	columns []column
	rows    int64
}

type column struct {
	counts Counts
	buffer []byte
	hash   hash.Hash
	named  map[string][]int // of an absent list
}

// tallyBuffer is how many bytes of a column are collected before they are hashed.
const tallyBuffer = 2 << 10

func newTally(s *spec) *tally {
	t := &tally{spec: s, columns: make([]column, len(s.leaves))}
	for i := range t.columns {
		t.columns[i].hash = sha256.New()
		t.columns[i].buffer = make([]byte, 0, tallyBuffer+256)
	}
	for _, list := range s.absent {
		t.columns[list.leaf].named = list.named
	}
	return t
}

func (t *tally) level(leaf int, rep, def byte) *column {
	c := &t.columns[leaf]
	if len(c.buffer) >= tallyBuffer {
		c.hash.Write(c.buffer)
		c.buffer = c.buffer[:0]
	}
	c.buffer = append(c.buffer, rep<<4|def)
	return c
}

func (t *tally) none(leaf int, rep, def byte) {
	c := t.level(leaf, rep, def)
	if l := &t.spec.leaves[leaf]; l.optional && def+1 == l.maxDef {
		c.counts.Null++ // else an empty list: no element to count
	}
}

func (t *tally) text(leaf int, rep, def byte, s string) {
	c := t.level(leaf, rep, def)
	c.buffer = binary.AppendUvarint(c.buffer, uint64(len(s)))
	c.buffer = append(c.buffer, s...)
	c.count(s == "")
	if c.named == nil {
		return
	}
	for _, other := range c.named[s] {
		t.columns[other].counts.Absent++
		t.columns[other].counts.Null--
	}
}

func (t *tally) number(leaf int, rep, def byte, bits uint64) {
	c := t.level(leaf, rep, def)
	c.buffer = binary.LittleEndian.AppendUint64(c.buffer, bits)
	c.count(bits == 0)
}

func (c *column) count(zero bool) {
	if zero {
		c.counts.Zero++
		return
	}
	c.counts.Value++
}

func (t *tally) summary() Summary {
	all := sha256.New()
	columns := map[string]Counts{}
	for i := range t.columns {
		c, name := &t.columns[i], t.spec.leaves[i].name
		c.hash.Write(c.buffer)
		all.Write(binary.AppendUvarint(nil, uint64(len(name))))
		all.Write([]byte(name))
		all.Write(c.hash.Sum(nil))
		columns[name] = c.counts
	}
	return Summary{Rows: t.rows, Digest: hex.EncodeToString(all.Sum(nil)), Columns: columns}
}

// feed feeds a row, as the Parquet library represents it, to a sink.
func feed(to sink, row parquet.Row) {
	for _, v := range row {
		leaf, rep, def := v.Column(), byte(v.RepetitionLevel()), byte(v.DefinitionLevel())
		switch v.Kind() {
		case parquet.ByteArray:
			to.text(leaf, rep, def, view(v.ByteArray()))
		case parquet.Double:
			to.number(leaf, rep, def, math.Float64bits(v.Double()))
		case parquet.Boolean:
			to.number(leaf, rep, def, truth(v.Boolean()))
		case parquet.Int32:
			to.number(leaf, rep, def, uint64(int64(v.Int32())))
		case parquet.Int64:
			to.number(leaf, rep, def, uint64(v.Int64()))
		default:
			to.none(leaf, rep, def)
		}
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
