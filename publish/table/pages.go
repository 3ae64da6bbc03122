package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// pageReader reads one column of a row group, page by page. Levels and indexes are used where they
// are. What would lead out of a page or a dictionary is refused when the page is read.
type pageReader struct {
	chunkReader

	reps, defs []byte // levels of the page's entries; empty if the column has none
	entries    int    // nulls and empty lists included
	at         int    // the next entry
	value      int    // the next value
	index      []int32
	isIndexed  bool // the values are in the dictionary
	*decoded

	plain         decoded // the values of the page
	dictionary    decoded
	hasDictionary bool
	dictionaryLen int
}

// decoded are values. Rows share the texts: they are copied once for each page or dictionary,
// since the memory of a page is used again, and never change.
type decoded struct {
	texts   []string
	numbers []uint64 // as in stream
}

func newPageReader(l *leaf, column int, in *source) pageReader {
	return pageReader{chunkReader: chunkReader{leaf: l, column: column, source: in}}
}

// open begins to read a chunk.
func (p *pageReader) open(file *parquet.File, group int) {
	p.release()
	p.hasDictionary = false
	p.chunkReader.open(file, group)
}

func (p *pageReader) release() { p.entries, p.at, p.value = 0, 0, 0 }

// next makes sure that the page has another entry. It returns io.ErrUnexpectedEOF after the last
// one.
func (p *pageReader) next() error {
	for p.at == p.entries {
		if err := p.nextPage(); err == io.EOF {
			return fmt.Errorf("column %s: %w", p.leaf.name, io.ErrUnexpectedEOF)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// end checks that the column has no further entries.
func (p *pageReader) end() error {
	for p.at == p.entries {
		if err := p.nextPage(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("column %s has more rows than its row group: %w", p.leaf.name, ErrFormat)
}

// nextPage makes the next page the current one. It returns io.EOF after the last one.
func (p *pageReader) nextPage() error {
	p.release()
	page, err := p.read()
	if err == nil {
		err = p.load(&page)
	}
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("column %s: %w", p.leaf.name, err)
}

var errPage = errors.New("a page contradicts itself")

// read reads the next data page, and the dictionary if it comes before. It returns io.EOF after
// the last one.
func (p *pageReader) read() (page dataPage, err error) {
	for {
		header, body, err := p.chunkReader.next()
		if err != nil {
			return page, err
		}
		if header.Type != format.DictionaryPage {
			return p.dataPage(&header, body)
		}
		if err := p.loadDictionary(&header, body); err != nil {
			return page, err
		}
	}
}

func (p *pageReader) loadDictionary(header *format.PageHeader, body []byte) error {
	if p.hasDictionary {
		return nil
	}
	values, n, err := p.dictionaryPage(header, body)
	if err != nil {
		return err
	}
	p.hasDictionary, p.dictionaryLen = true, n
	return p.dictionary.load(p.source, p.leaf.kind, format.Plain, values, n)
}

// load prepares the values of the page and checks that there are as many as its levels say.
func (p *pageReader) load(page *dataPage) (err error) {
	values := page.entries
	if p.leaf.maxDef > 0 {
		if p.defs, err = p.levels(p.defs, page.defs, p.leaf.maxDef, page.entries); err != nil {
			return err
		}
		values = 0
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
		if p.reps, err = p.levels(p.reps, page.reps, p.leaf.maxRep, page.entries); err != nil {
			return err
		}
		// Every writer of these tables ends a page between rows.
		if page.entries > 0 && p.reps[0] != 0 {
			return errPage
		}
		for i, rep := range p.reps {
			if rep > p.leaf.maxRep || rep > p.defs[i] { // in a list that is empty
				return errPage
			}
		}
	}
	p.isIndexed = page.encoding == format.RLEDictionary
	if p.isIndexed {
		p.decoded = &p.dictionary
		err = p.loadIndex(page.values, values)
	} else {
		p.decoded = &p.plain
		err = p.plain.load(p.source, p.leaf.kind, page.encoding, page.values, values)
	}
	if err == nil {
		p.entries = page.entries
	}
	return err
}

func (p *pageReader) loadIndex(data []byte, n int) (err error) {
	if !p.hasDictionary {
		return errPage
	}
	if p.index, err = indexes(p.index, data, n); err != nil {
		return err
	}
	for _, i := range p.index {
		if uint32(i) >= uint32(p.dictionaryLen) {
			return errPage
		}
	}
	return nil
}

// load decodes the n values of a page.
func (d *decoded) load(s *source, kind parquet.Kind, encoding format.Encoding, data []byte, n int) error {
	if kind == parquet.ByteArray {
		return d.loadTexts(s, encoding, data, n)
	}
	bits := 64
	switch kind {
	case parquet.Boolean:
		bits = 1
	case parquet.Int32:
		bits = 32
	case parquet.Int64, parquet.Double:
	default:
		return fmt.Errorf("values of the kind %v: %w", kind, ErrFormat)
	}
	if encoding != format.Plain {
		return fmt.Errorf("values in the encoding %v: %w", encoding, ErrFormat)
	}
	if n < 0 || len(data) < (n*bits+7)/8 {
		return errPage
	}
	d.numbers = resize(d.numbers, n)
	for i := range d.numbers {
		switch bits {
		case 1:
			d.numbers[i] = uint64(data[i/8] >> (i % 8) & 1)
		case 32:
			d.numbers[i] = uint64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		default:
			d.numbers[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	}
	return nil
}

func (d *decoded) loadTexts(s *source, encoding format.Encoding, data []byte, n int) error {
	d.texts = nil // not the memory of the page before, which rows may share
	if n == 0 {
		return nil
	}
	data, offsets, err := s.byteArrays(data, n, encoding)
	if err != nil {
		return err
	}
	if n < 0 || len(offsets) <= n || int64(offsets[n]) > int64(len(data)) || !slices.IsSorted(offsets[:n+1]) {
		return errPage
	}
	all := string(data[:offsets[n]])
	d.texts = make([]string, n)
	for i := range d.texts {
		d.texts[i] = all[offsets[i]:offsets[i+1]]
	}
	return nil
}

// take returns where the next value is in texts or numbers.
func (p *pageReader) take() int {
	n := p.value
	p.value++
	if p.isIndexed {
		return int(p.index[n])
	}
	return n
}

// ahead returns the text of the row that is n rows ahead, of a column without nulls.
func (p *pageReader) ahead(n int) string {
	i := p.value + n
	if p.isIndexed {
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
	offsets, err := p.chunk.OffsetIndex()
	if err != nil || offsets.NumPages() == 0 { // the chunk is read from its first page
		return p.seekPage(p.begin(), row)
	}
	page := max(0, sort.Search(offsets.NumPages(), func(i int) bool { return offsets.FirstRowIndex(i) > row })-1)
	return p.seekPage(offsets.Offset(page), row-offsets.FirstRowIndex(page))
}

// seekPage makes a row of the page at an offset the next one.
func (p *pageReader) seekPage(offset, row int64) error {
	p.release()
	if row < 0 || offset < p.begin() || offset > p.limit() {
		return errPage
	}
	if p.offset = p.begin(); !p.hasDictionary && p.meta.DictionaryPageOffset > 0 {
		header, body, err := p.chunkReader.next()
		if err == nil {
			err = p.loadDictionary(&header, body)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", p.leaf.name, err)
		}
	}
	p.offset = offset
	return p.skip(row)
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
