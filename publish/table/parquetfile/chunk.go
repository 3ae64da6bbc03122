package parquetfile

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

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

// Keep returns row groups that many readers may use at the same time, each with the file open anew: of
// some columns they have the places of the pages, and the dictionaries once they were read. The file
// must be one that [ColumnWriter] wrote. memory counts their bytes.
func Keep(groups []Group, columns []int, memory *atomic.Int64) ([]Group, error) {
	kept := make([]Group, len(groups))
	for i := range groups {
		g := &groups[i]
		kept[i] = Group{Rows: g.Rows, chunks: make([]chunk, len(g.meta.Columns))}
		for _, column := range columns {
			c := &kept[i].chunks[column]
			from := g.chunk(column)
			pages, err := from.pagesOf()
			if err != nil {
				return nil, err
			}
			c.chunkMeta, c.pages, c.memory = from.chunkMeta, pages, memory
			memory.Add(int64(unsafe.Sizeof(pageAt{})) * int64(len(pages)))
		}
		memory.Add(int64(unsafe.Sizeof(chunk{})) * int64(len(kept[i].chunks)))
	}
	return kept, nil
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
type pageAt struct{ offset, first int64 }

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

// isEmpty reports whether no entry of a kept chunk is a value: nothing of it need be read.
func (c *chunk) isEmpty() bool { return c.isKept() && c.entries > 0 && c.nulls == c.entries }

// pagesOf returns where the pages are.
func (c *chunk) pagesOf() ([]pageAt, error) {
	offsets, err := c.indexes.OffsetIndex()
	if err != nil {
		return nil, err
	}
	pages := make([]pageAt, offsets.NumPages())
	for i := range pages {
		pages[i] = pageAt{offsets.Offset(i), offsets.FirstRowIndex(i)}
	}
	return pages, nil
}

// pageOf returns the page that has a row of the row group.
func (c *chunk) pageOf(row int64) pageAt {
	if c.isKept() {
		i, found := slices.BinarySearchFunc(c.pages, row, func(p pageAt, row int64) int { return int(p.first - row) })
		if !found {
			i--
		}
		if i < 0 {
			return pageAt{c.begin, 0}
		}
		return c.pages[i]
	}
	offsets, err := c.indexes.OffsetIndex()
	if err != nil || offsets.NumPages() == 0 {
		return pageAt{c.begin, 0} // the chunk is read from its first page
	}
	i := max(0, sort.Search(offsets.NumPages(), func(i int) bool { return offsets.FirstRowIndex(i) > row })-1)
	return pageAt{offsets.Offset(i), offsets.FirstRowIndex(i)}
}

// pageRows returns the number of rows of the data page at an offset, 0 if that is not known, and where the next
// page is.
func (c *chunk) pageRows(offset int64) (rows, next int64) {
	if c.isKept() {
		return 0, 0
	}
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

// made are entries of a chunk that are known without reading a page: all are null, or all are the
// only value of the dictionary.
const madeEntries = 256

var (
	madeLevels  [madeEntries]byte
	madeIndexes [madeEntries]int32
)

// make makes the next entries of a chunk that need not be read.
func (p *ColumnReader) make() error {
	n := int(min(p.left, madeEntries))
	if n <= 0 {
		return io.EOF
	}
	p.left -= int64(n)
	p.Entries, p.isIndexed, p.decoded = n, true, &p.dictionary
	p.Reps, p.Defs, p.index = madeLevels[:n], madeLevels[:n], madeIndexes[:n]
	return nil
}

// isKnown reports whether the chunk need not be read, once its dictionary was.
func (p *ColumnReader) isKnown() (bool, error) {
	c := p.chunk
	switch {
	case !c.isKept():
		return false, nil
	case c.isEmpty():
		return true, nil
	case !c.hasDictionary || p.Leaf.MaxDef > 0:
		return false, nil
	}
	if err := p.needDictionary(); err != nil {
		return false, err
	}
	return p.dictionaryLen == 1, nil
}

// needDictionary reads the dictionary unless it is known.
func (p *ColumnReader) needDictionary() error {
	if p.hasDictionary || !p.chunk.hasDictionary {
		return nil
	}
	if d := p.chunk.dictionary.Load(); d != nil {
		p.dictionary, p.dictionaryLen, p.hasDictionary = d.decoded, d.n, true
		return nil
	}
	p.offset = p.chunk.begin
	header, body, err := p.pageReader.next()
	if err == nil {
		err = p.loadDictionary(&header, body)
	}
	if err != nil {
		return fmt.Errorf("column %s: %w", p.Leaf.Name, err)
	}
	if p.chunk.isKept() {
		size := 8 * len(p.dictionary.Numbers)
		for _, text := range p.dictionary.Texts {
			size += int(unsafe.Sizeof(text)) + len(text)
		}
		if p.chunk.dictionary.CompareAndSwap(nil, &dictionaryPage{p.dictionary, p.dictionaryLen}) {
			p.chunk.memory.Add(int64(size))
		}
	}
	return nil
}
