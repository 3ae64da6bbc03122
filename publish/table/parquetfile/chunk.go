package parquetfile

import (
	"fmt"
	"io"
	"math"
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
// must be one that [ColumnWriter] wrote. Those columns for which scan is true are read, to know which
// of their pages have the same entry again and again and need not be read later. memory counts the bytes.
func Keep(groups []Group, columns []*ColumnReader, scan func(*Leaf) bool, memory *atomic.Int64) ([]Group, error) {
	kept := make([]Group, len(groups))
	for i := range groups {
		g := &groups[i]
		kept[i] = Group{Rows: g.Rows, chunks: make([]chunk, len(g.meta.Columns))}
		for _, column := range columns {
			c := &kept[i].chunks[column.column]
			from := g.chunk(column.column)
			pages, err := from.pagesOf()
			if err == nil && from.entries > 0 && from.nulls == from.entries {
				for k := range pages {
					pages[k].isSame = true // no entry is a value
				}
			} else if err == nil && scan(column.Leaf) {
				column.Open(g)
				err = column.scan(pages, g.Rows)
			}
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

// scan finds the pages whose rows all have the same entry.
func (p *ColumnReader) scan(pages []pageAt, rows int64) error {
	for i := range pages {
		if err := p.nextPage(); err != nil {
			return noEOF(err)
		}
		end := rows
		if i+1 < len(pages) {
			end = int64(pages[i+1].first)
		}
		def, value, isSame := p.sameEntry()
		if isSame && int64(p.Entries) == end-int64(pages[i].first) {
			pages[i].isSame, pages[i].def, pages[i].value = true, def, value
		}
	}
	p.release()
	return p.End()
}

// sameEntry returns the entry of a page if all are the same, and each is of another row.
func (p *ColumnReader) sameEntry() (def byte, value uint16, isSame bool) {
	if p.Entries == 0 || p.Leaf.MaxRep > 0 && slices.Max(p.Reps[:p.Entries]) > 0 {
		return 0, 0, false
	}
	if p.Leaf.MaxDef > 0 {
		if def = p.Defs[0]; slices.Max(p.Defs[:p.Entries]) != def || slices.Min(p.Defs[:p.Entries]) != def {
			return 0, 0, false
		}
	}
	if def < p.Leaf.MaxDef {
		return def, 0, true
	}
	first := uint64(0)
	for i := range p.Entries {
		v := uint64(0)
		switch {
		case p.isIndexed:
			v = uint64(p.index[i])
		case p.Leaf.Kind == parquet.Boolean:
			v = p.Numbers[i]
		default:
			return 0, 0, false
		}
		if i == 0 {
			first = v
		}
		if v != first || v > math.MaxUint16 {
			return 0, 0, false
		}
	}
	return def, uint16(first), true
}

// booleans are the values of a page of booleans, by their numbers.
var booleans = decoded{Numbers: []uint64{0, 1}}

// maxWindow is the most bytes of several pages that are read from the file at once.
const maxWindow = 128 << 10

// nextKept makes the next page of a kept chunk the current one, from the row on that was sought.
func (p *ColumnReader) nextKept() error {
	c := p.chunk
	if p.page >= len(c.pages) {
		return io.EOF
	}
	at := &c.pages[p.page]
	rows := c.rows - int64(at.first)
	if p.page++; p.page < len(c.pages) {
		rows = int64(c.pages[p.page].first) - int64(at.first)
	}
	if rows <= 0 || rows > maxPageEntries {
		return errPage
	}
	if err := p.needDictionary(); err != nil {
		return err
	}
	if at.isSame {
		p.repeat(at, int(rows))
	} else {
		p.offset, p.upTo = at.offset, p.wanted
		if p.upTo <= at.offset || p.upTo-at.offset > maxWindow {
			p.upTo = c.endOf(p.page - 1)
		}
		header, body, err := p.pageReader.next()
		if err != nil {
			return noEOF(err)
		}
		page, err := p.dataPage(&header, body)
		if err == nil {
			err = p.load(&page)
		}
		if err != nil {
			return err
		}
	}
	skip := p.skip
	p.skip, p.end = 0, p.end-rows
	return p.Skip(skip)
}

// repeat makes the entries of a page that need not be read.
func (p *ColumnReader) repeat(at *pageAt, n int) {
	p.Entries, p.isIndexed, p.decoded = n, true, &p.dictionary
	if p.Leaf.Kind == parquet.Boolean {
		p.decoded = &booleans
	}
	p.Reps, p.Defs, p.index = resize(p.Reps, n), resize(p.Defs, n), resize(p.index, n)
	clear(p.Reps)
	for i := range n {
		p.Defs[i], p.index[i] = at.def, int32(at.value)
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
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
	p.offset, p.upTo = p.chunk.begin, 0
	if len(p.chunk.pages) > 0 {
		p.upTo = p.chunk.pages[0].offset
	}
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
