package parquetfile

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// IndexPages returns row groups that many readers may use at the same time, each with the file open anew: of
// some columns they have the places of the pages, and the dictionaries once they were read. The file
// must be one that [ColumnWriter] wrote. Those columns for which scan is true are read, to know which
// of their pages have the same entry again and again and need not be read later. memory counts the bytes.
func IndexPages(groups []Group, columns []*ColumnReader, scan func(*Leaf) bool, memory *atomic.Int64) ([]Group, error) {
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
