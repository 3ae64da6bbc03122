package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// pageReader reads one column of a row group, page by page: the reverse of a chunk. The library
// decompresses and decodes the pages; their levels and indexes are used where they are. What
// would lead out of a page or a dictionary is refused when the page is read.
type pageReader struct {
	leaf  *leaf // of the file
	chunk parquet.ColumnChunk
	pages parquet.Pages
	page  parquet.Page // nil if there is none

	reps, defs []byte // levels of the page's entries; empty if the column has none
	entries    int    // nulls and empty lists included
	at         int    // the next entry
	value      int    // the next value
	index      []int32
	*decoded

	plain      decoded // the values of the page
	indexed    decoded // the values of dictionary
	dictionary parquet.Dictionary
}

// decoded are values. Rows share the texts: they are copied once for each page or dictionary,
// since the library uses its memory again, and never change.
type decoded struct {
	texts   []string
	numbers []uint64 // as in stream
}

// open begins to read a chunk.
func (p *pageReader) open(chunk parquet.ColumnChunk) error {
	if err := p.close(); err != nil {
		return err
	}
	p.chunk, p.pages, p.dictionary = chunk, chunk.Pages(), nil
	return nil
}

func (p *pageReader) close() error {
	p.release()
	if p.pages == nil {
		return nil
	}
	err := p.pages.Close()
	p.pages = nil
	return err
}

func (p *pageReader) release() {
	if p.page != nil {
		parquet.Release(p.page)
	}
	p.page, p.reps, p.defs, p.index = nil, nil, nil, nil
	p.entries, p.at, p.value = 0, 0, 0
}

// next makes sure that the page has another entry. It returns io.ErrUnexpectedEOF after the last
// one.
func (p *pageReader) next() error {
	for p.at == p.entries {
		p.release()
		page, err := p.pages.ReadPage()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		p.page = page
		if err := p.load(); err != nil {
			return fmt.Errorf("column %s: %w", p.leaf.name, err)
		}
	}
	return nil
}

// end checks that the column has no further entries.
func (p *pageReader) end() error {
	entries := int64(p.entries - p.at)
	p.release()
	for entries == 0 {
		page, err := p.pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		entries = page.NumValues()
		parquet.Release(page)
	}
	return fmt.Errorf("column %s has more rows than its row group: %w", p.leaf.name, ErrFormat)
}

var errPage = errors.New("a page contradicts itself")

// load prepares the values of the page and checks that there are as many as its levels say.
func (p *pageReader) load() error {
	p.reps, p.defs = p.page.RepetitionLevels(), p.page.DefinitionLevels()
	entries := int(p.page.NumValues())
	values := entries
	if p.leaf.maxDef > 0 {
		if values = 0; len(p.defs) != entries {
			return errPage
		}
		for _, def := range p.defs {
			if def > p.leaf.maxDef {
				return errPage
			}
			if def == p.leaf.maxDef {
				values++
			}
		}
	}
	if p.leaf.maxRep > 0 {
		// Every writer of these tables ends a page between rows.
		if len(p.reps) != entries || entries > 0 && p.reps[0] != 0 {
			return errPage
		}
		for i, rep := range p.reps {
			if rep > p.leaf.maxRep || rep > p.defs[i] { // in a list that is empty
				return errPage
			}
		}
	}
	data := p.page.Data()
	dictionary := p.page.Dictionary()
	if dictionary == nil {
		p.decoded, p.entries = &p.plain, entries
		return p.plain.load(p.leaf.kind, &data, values)
	}
	if p.dictionary != dictionary {
		all := dictionary.Page().Data()
		if err := p.indexed.load(p.leaf.kind, &all, dictionary.Len()); err != nil {
			return err
		}
		p.dictionary = dictionary
	}
	p.index = data.Int32()
	if len(p.index) < values {
		return errPage
	}
	for _, i := range p.index[:values] {
		if uint32(i) >= uint32(dictionary.Len()) {
			return errPage
		}
	}
	p.decoded, p.entries = &p.indexed, entries
	return nil
}

// load takes the first n values of a page.
func (d *decoded) load(kind parquet.Kind, page *encoding.Values, n int) error {
	switch kind {
	case parquet.ByteArray:
		return d.loadTexts(page, n)
	case parquet.Boolean:
		return loadNumbers(d, page.Boolean(), n, 8, func(bits []byte, i int) uint64 { return uint64(bits[i/8] >> (i % 8) & 1) })
	case parquet.Int32:
		return loadNumbers(d, page.Int32(), n, 1, func(all []int32, i int) uint64 { return uint64(int64(all[i])) })
	case parquet.Int64:
		return loadNumbers(d, page.Int64(), n, 1, func(all []int64, i int) uint64 { return uint64(all[i]) })
	case parquet.Double:
		return loadNumbers(d, page.Double(), n, 1, func(all []float64, i int) uint64 { return math.Float64bits(all[i]) })
	}
	return fmt.Errorf("values of the kind %v: %w", kind, ErrFormat)
}

func (d *decoded) loadTexts(page *encoding.Values, n int) error {
	data, offsets := page.ByteArray()
	if n == 0 {
		d.texts = nil
		return nil
	}
	if len(offsets) <= n || int64(offsets[n]) > int64(len(data)) || !slices.IsSorted(offsets[:n+1]) {
		return errPage
	}
	first := offsets[0]
	all := string(data[first:offsets[n]])
	d.texts = make([]string, n) // not the memory of the page before, which rows may share
	for i := range d.texts {
		d.texts[i] = all[offsets[i]-first : offsets[i+1]-first]
	}
	return nil
}

func loadNumbers[V any](d *decoded, all []V, n, each int, bits func(all []V, i int) uint64) error {
	if len(all) < (n+each-1)/each {
		return errPage
	}
	d.numbers = slices.Grow(d.numbers[:0], n)[:n]
	for i := range d.numbers {
		d.numbers[i] = bits(all, i)
	}
	return nil
}

// take returns where the next value is in texts or numbers.
func (p *pageReader) take() int {
	n := p.value
	p.value++
	if p.index != nil {
		return int(p.index[n])
	}
	return n
}

// ahead returns the text of the row that is n rows ahead, of a column without nulls.
func (p *pageReader) ahead(n int) string {
	i := p.value + n
	if p.index != nil {
		i = int(p.index[i])
	}
	return p.texts[i]
}

// isValue reports whether an entry is a value, as opposed to a null or an empty list.
func (p *pageReader) isValue(entry int) bool {
	return p.leaf.maxDef == 0 || p.defs[entry] == p.leaf.maxDef
}

// seek makes a row of the row group the next one.
func (p *pageReader) seek(row int64) error {
	p.release()
	first := int64(0)
	// A chunk without an offset index is read from its first page.
	if offsets, err := p.chunk.OffsetIndex(); err == nil && offsets.NumPages() > 0 {
		page := sort.Search(offsets.NumPages(), func(i int) bool { return offsets.FirstRowIndex(i) > row })
		first = offsets.FirstRowIndex(max(0, page-1))
	}
	if first > row {
		return errPage
	}
	// The library would return the rest of a page without saying where its booleans begin.
	if err := p.pages.SeekToRow(first); err != nil {
		return err
	}
	return p.skip(row - first)
}

// skip skips rows.
func (p *pageReader) skip(rows int64) error {
	for rows > 0 {
		if err := p.next(); err != nil {
			return err
		}
		for rows > 0 && p.at < p.entries {
			if p.isValue(p.at) {
				p.value++
			}
			if p.at++; p.at == p.entries || p.leaf.maxRep == 0 || p.reps[p.at] == 0 {
				rows--
			}
		}
	}
	return nil
}
