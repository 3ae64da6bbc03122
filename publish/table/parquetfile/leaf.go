package parquetfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Leaf is one column with values.
type Leaf struct {
	Name     string // "selections.line": the path without Parquet's list.element
	Path     []string
	Kind     parquet.Kind
	Optional bool // the value itself may be null
	MaxDef   byte
	MaxRep   byte
	encoding format.Encoding
	compare  func(a, b []byte) int // of plain values
}

// Leaves returns the columns of a schema, in its order.
func Leaves(schema *parquet.Schema) (leaves []Leaf) {
	for _, path := range schema.Columns() {
		column, _ := schema.Lookup(path...)
		leaves = append(leaves, Leaf{
			Name:     plainName(path),
			Path:     path,
			Kind:     column.Node.Type().Kind(),
			Optional: column.Node.Optional(),
			MaxDef:   byte(column.MaxDefinitionLevel),
			MaxRep:   byte(column.MaxRepetitionLevel),
			encoding: encodingOf(column.Node),
			compare:  comparator(column.Node.Type().Kind()),
		})
	}
	return leaves
}

// ListLevel is the definition level of the column's lists.
func (l *Leaf) ListLevel() byte {
	if l.Optional {
		return l.MaxDef - 1
	}
	return l.MaxDef
}

// encodingOf returns the encoding named by the row type's tag. The default is
// DELTA_LENGTH_BYTE_ARRAY for texts and PLAIN for numbers. DELTA_BYTE_ARRAY would save two of the
// 19 bytes of an id. But some readers, such as hyparquet, do not know it in pages of the first
// version.
func encodingOf(column parquet.Node) format.Encoding {
	if e := column.Encoding(); e != nil {
		return e.Encoding()
	}
	if column.Type().Kind() == parquet.ByteArray {
		return format.DeltaLengthByteArray
	}
	return format.Plain
}

// plainName returns a column's path without the two levels that Parquet adds to every list.
func plainName(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".list.element", "")
}

// comparator returns the order of a column's plain values.
func comparator(kind parquet.Kind) func(a, b []byte) int {
	switch kind {
	case parquet.Int32:
		return func(a, b []byte) int {
			return cmp.Compare(int32(binary.LittleEndian.Uint32(a)), int32(binary.LittleEndian.Uint32(b)))
		}
	case parquet.Int64:
		return func(a, b []byte) int {
			return cmp.Compare(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
		}
	case parquet.Double:
		return func(a, b []byte) int {
			return cmp.Compare(math.Float64frombits(binary.LittleEndian.Uint64(a)), math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return bytes.Compare
}
