package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ErrFormat is the error of a file other than the expected table.
var ErrFormat = errors.New("not a table that this version reads")

// Open reads the footer of a file, and checks that all its parts are in the file.
func Open(r io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	if err := checkRanges(file.Metadata(), size); err != nil {
		return nil, err
	}
	return file, nil
}

// checkFooter checks that the footer fits into the file. The library allocates the length stated
// in the last bytes, up to 4 GiB, before it reads.
func checkFooter(r io.ReaderAt, size int64) error {
	const head, tail = 4, 8 // "PAR1"; the footer's length and "PAR1"
	var end [tail]byte
	if size < head+tail {
		return fmt.Errorf("a file of %d bytes is too short for a table: %w", size, ErrFormat)
	}
	if _, err := r.ReadAt(end[:], size-tail); err != nil {
		return err
	}
	if length := binary.LittleEndian.Uint32(end[:4]); int64(length) > size-head-tail {
		return fmt.Errorf("the footer is %d bytes long, the file only %d: %w", length, size, ErrFormat)
	}
	return nil
}

// checkRanges checks that the parts named by a footer are in the file.
func checkRanges(f *format.FileMetaData, size int64) error {
	within := func(offset, length int64) bool {
		return offset >= 0 && length >= 0 && length <= size && offset <= size-length
	}
	for i := range f.RowGroups {
		for k := range f.RowGroups[i].Columns {
			c := &f.RowGroups[i].Columns[k]
			m := &c.MetaData
			first := m.DataPageOffset
			if m.DictionaryPageOffset > 0 {
				first = m.DictionaryPageOffset
			}
			if !within(first, m.TotalCompressedSize) || !within(c.ColumnIndexOffset, int64(c.ColumnIndexLength)) || !within(c.OffsetIndexOffset, int64(c.OffsetIndexLength)) {
				return fmt.Errorf("column %v is not within the file: %w", m.PathInSchema, ErrFormat)
			}
		}
	}
	return nil
}
