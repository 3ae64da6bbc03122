package parquetfile

import (
	"errors"
	"math"
	"sort"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Group is a row group of a file: where its columns are.
type Group struct {
	Rows   int64
	file   parquet.RowGroup
	meta   *format.RowGroup
	chunks []chunk // of a group that is kept, by the number of the column
}

// Groups returns the row groups of a file.
func Groups(file *parquet.File) []Group {
	groups := make([]Group, len(file.RowGroups()))
	for i, g := range file.RowGroups() {
		groups[i] = Group{Rows: g.NumRows(), file: g, meta: &file.Metadata().RowGroups[i]}
	}
	return groups
}

// chunk is a column of a row group.
type chunk struct {
	chunkMeta
	indexes    parquet.ColumnChunk // with its page indexes, if it is not kept
	pages      []pageAt            // if it is kept
	dictionary atomic.Pointer[dictionaryPage]
	memory     *atomic.Int64
}

type chunkMeta struct {
	codec          format.CompressionCodec
	rows           int64 // of its row group
	entries, nulls int64
	plain          int64 // bytes of its pages before compression
	// begin is where the first page is, which is the dictionary if there is one; end is behind the last.
	begin, end    int64
	hasDictionary bool
}

// pageAt is where a page is, and the number of its first row in the row group.
type pageAt struct {
	offset int64
	first  uint32
	// isSame: every row of the page has one entry, and all entries are the same, with this level and
	// this number of the dictionary, or this number itself if it is a boolean.
	isSame bool
	def    byte
	value  uint16
}

// dictionaryPage is a dictionary that readers share.
type dictionaryPage struct {
	decoded
	n int
}

func (g *Group) chunk(column int) *chunk {
	if g.chunks != nil {
		return &g.chunks[column]
	}
	m := &g.meta.Columns[column].MetaData
	c := &chunk{indexes: g.file.ColumnChunks()[column]}
	c.chunkMeta = chunkMeta{codec: m.Codec, rows: g.meta.NumRows, entries: m.NumValues, nulls: m.Statistics.NullCount, plain: m.TotalUncompressedSize,
		begin: m.DataPageOffset, hasDictionary: m.DictionaryPageOffset > 0}
	if c.hasDictionary {
		c.begin = m.DictionaryPageOffset
	}
	c.end = c.begin + m.TotalCompressedSize
	return c
}

func (c *chunk) isKept() bool { return c.indexes == nil }

// pagesOf returns where the pages are.
func (c *chunk) pagesOf() ([]pageAt, error) {
	offsets, err := c.indexes.OffsetIndex()
	if err != nil {
		return nil, err
	}
	pages := make([]pageAt, offsets.NumPages())
	for i := range pages {
		first := offsets.FirstRowIndex(i)
		if first < 0 || first > math.MaxUint32 {
			return nil, errPage
		}
		pages[i] = pageAt{offset: offsets.Offset(i), first: uint32(first)}
	}
	return pages, nil
}

// pageOf returns the page of a chunk that is not kept which has a row of the row group.
func (c *chunk) pageOf(row int64) (offset, first int64) {
	offsets, err := c.indexes.OffsetIndex()
	if err != nil || offsets.NumPages() == 0 {
		return c.begin, 0 // the chunk is read from its first page
	}
	i := max(0, sort.Search(offsets.NumPages(), func(i int) bool { return offsets.FirstRowIndex(i) > row })-1)
	return offsets.Offset(i), offsets.FirstRowIndex(i)
}

// pageWith returns the number of the page of a kept chunk that has a row of the row group, -1 if none has it.
func (c *chunk) pageWith(row int64) int {
	return sort.Search(len(c.pages), func(i int) bool { return int64(c.pages[i].first) > row }) - 1
}

// endOf returns where a page of a kept chunk ends.
func (c *chunk) endOf(page int) int64 {
	if page+1 < len(c.pages) {
		return c.pages[page+1].offset
	}
	return c.end
}

// pageRows returns the number of rows of the data page at an offset, 0 if that is not known, and where the next
// page is.
func (c *chunk) pageRows(offset int64) (rows, next int64) {
	offsets, err := c.indexes.OffsetIndex()
	if err != nil {
		return 0, 0
	}
	pages := offsets.NumPages()
	i := sort.Search(pages, func(i int) bool { return offsets.Offset(i) >= offset })
	if i == pages || offsets.Offset(i) != offset {
		return 0, 0
	}
	rows, next = c.rows, c.end
	if i+1 < pages {
		rows, next = offsets.FirstRowIndex(i+1), offsets.Offset(i+1)
	}
	if next <= offset || next > c.end {
		return 0, 0
	}
	return rows - offsets.FirstRowIndex(i), next
}

var errPage = errors.New("a page contradicts itself")

// decoded are values. Rows share the texts. They are copied once for each page or dictionary,
// because the memory of a page is used again, and never change.
type decoded struct {
	Texts   []string
	Numbers []uint64 // in the form of [ColumnWriter.Add]
}
