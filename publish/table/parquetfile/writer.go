package parquetfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Writer writes the row groups of a file, and the footer behind them.
type Writer struct {
	out     *bufio.Writer
	offset  int64
	footer  format.FileMetaData
	indexes [][]pageIndexes // by row group and column
	failed  error           // the first error of writing
}

// pageIndexes are the two page indexes of a chunk.
type pageIndexes struct {
	bounds    format.ColumnIndex
	hasBounds bool
	offsets   format.OffsetIndex
}

const magic = "PAR1"

// NewFooter returns the footer of a file without rows: the schema and the order of the columns.
// The library makes it.
func NewFooter(schema *parquet.Schema, application, version string) (format.FileMetaData, error) {
	var empty bytes.Buffer
	err := parquet.NewGenericWriter[any](&empty, schema, parquet.CreatedBy(application, version, "")).Close()
	if err != nil {
		return format.FileMetaData{}, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return format.FileMetaData{}, err
	}
	return *file.Metadata(), nil
}

// NewWriter returns a Writer of a file with a footer from [NewFooter], to which it adds the texts
// of metadata.
func NewWriter(out *bufio.Writer, footer format.FileMetaData, metadata map[string]string) *Writer {
	w := &Writer{out: out, footer: footer}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		w.footer.KeyValueMetadata = append(w.footer.KeyValueMetadata, format.KeyValue{Key: key, Value: metadata[key]})
	}
	return w
}

// WriteGroup writes a row group. Finish was called for each of its columns, which are empty
// afterwards. sorting are the numbers of the columns by which the rows are sorted.
func (w *Writer) WriteGroup(rows int64, sorting []int, columns []*ColumnWriter) error {
	w.begin()
	group := format.RowGroup{NumRows: rows, FileOffset: w.offset, Ordinal: int16(len(w.footer.RowGroups))}
	for _, column := range sorting {
		group.SortingColumns = append(group.SortingColumns, format.SortingColumn{ColumnIdx: int32(column)})
	}
	indexes := make([]pageIndexes, len(columns))
	for i, c := range columns {
		m := c.metadata(w.offset)
		w.write(c.dictionaryPage)
		w.write(c.pages)
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: m})
		group.TotalByteSize += m.TotalUncompressedSize
		group.TotalCompressedSize += m.TotalCompressedSize
		for _, at := range c.locations {
			at.Offset += m.DataPageOffset
			indexes[i].offsets.PageLocations = append(indexes[i].offsets.PageLocations, at)
		}
		indexes[i].bounds, indexes[i].hasBounds = c.index()
		c.reset()
	}
	w.footer.RowGroups = append(w.footer.RowGroups, group)
	w.footer.NumRows += rows
	w.indexes = append(w.indexes, indexes)
	return w.failed
}

// begin writes the beginning of the file, once.
func (w *Writer) begin() {
	if w.offset == 0 {
		w.write([]byte(magic))
	}
}

// write writes to the file. WriteGroup and Close return its error.
func (w *Writer) write(data []byte) {
	n, err := w.out.Write(data)
	w.offset += int64(n)
	w.failed = cmp.Or(w.failed, err)
}

// Close writes the page indexes and the footer. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.begin()
	var buffer bytes.Buffer
	encoder := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&buffer))
	encode := func(v any) (at int64, length int32, err error) {
		buffer.Reset()
		if err := encoder.Encode(v); err != nil {
			return 0, 0, err
		}
		at = w.offset
		w.write(buffer.Bytes())
		return at, int32(buffer.Len()), nil
	}
	for g := range w.indexes {
		for i := range w.indexes[g] {
			if !w.indexes[g][i].hasBounds {
				continue
			}
			c := &w.footer.RowGroups[g].Columns[i]
			var err error
			if c.ColumnIndexOffset, c.ColumnIndexLength, err = encode(&w.indexes[g][i].bounds); err != nil {
				return err
			}
		}
	}
	for g := range w.indexes {
		for i := range w.indexes[g] {
			c := &w.footer.RowGroups[g].Columns[i]
			var err error
			if c.OffsetIndexOffset, c.OffsetIndexLength, err = encode(&w.indexes[g][i].offsets); err != nil {
				return err
			}
		}
	}
	_, length, err := encode(&w.footer)
	if err != nil {
		return err
	}
	w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(length)), magic...))
	return w.out.Flush()
}
