package parquetfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ColumnReader reads one column of a row group, page by page. Levels and indexes are used in
// place. When a page is read, it is refused if it would lead out of itself or of its dictionary.
type ColumnReader struct {
	pageReader

	Reps, Defs []byte // levels of the page's entries; empty if the column has none
	Entries    int    // nulls and empty lists included
	At         int    // the next entry
	value      int    // the next value
	index      []int32
	isIndexed  bool // the values are in the dictionary
	*decoded

	plain         decoded // the values of the page
	dictionary    decoded
	hasDictionary bool
	dictionaryLen int

	// In a kept chunk, whose pages are read only when they are needed:
	page   int   // the number of the next page
	skip   int64 // rows to skip in it
	end    int64 // the end of the wanted rows, counted from its first row
	wanted int64 // where the last page ends that will be read
}

// NewColumnReader returns a reader of the column with a number in the file. Open opens each of
// its chunks.
func NewColumnReader(l *Leaf, column int, in *Source) ColumnReader {
	return ColumnReader{pageReader: pageReader{Leaf: l, column: column, source: in}}
}

// Column returns the number of the column in the file.
func (p *ColumnReader) Column() int { return p.column }

// SetSource sets where the pages are read from.
func (p *ColumnReader) SetSource(in *Source) { p.source = in }

// Open begins to read a chunk.
func (p *ColumnReader) Open(group *Group) {
	p.release()
	if p.chunk != nil && p.chunk.isKept() { // readers share its dictionary
		p.dictionary = decoded{}
	}
	p.hasDictionary, p.page, p.skip, p.end, p.wanted = false, 0, 0, 0, 0
	if p.pageReader.open(group); p.chunk.isKept() {
		p.end = p.chunk.rows
	}
}

func (p *ColumnReader) release() { p.Entries, p.At, p.value = 0, 0, 0 }

// Next ensures that the page has another entry. It returns [io.ErrUnexpectedEOF] after the last
// one.
func (p *ColumnReader) Next() error {
	for p.At == p.Entries {
		if err := p.nextPage(); err == io.EOF {
			return fmt.Errorf("column %s: %w", p.Leaf.Name, io.ErrUnexpectedEOF)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// End checks that the column has no further entries.
func (p *ColumnReader) End() error {
	for p.At == p.Entries {
		if err := p.nextPage(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("column %s has more rows than its row group: %w", p.Leaf.Name, ErrFormat)
}

// nextPage makes the next page the current one. It returns io.EOF after the last one.
func (p *ColumnReader) nextPage() error {
	p.release()
	err := error(nil)
	if p.chunk.isKept() {
		err = p.nextKept()
	} else {
		var page dataPage
		if page, err = p.read(); err == nil {
			err = p.load(&page)
		}
	}
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("column %s: %w", p.Leaf.Name, err)
}

// read reads the next data page, and the dictionary if it comes before. It returns io.EOF after
// the last one.
func (p *ColumnReader) read() (page dataPage, err error) {
	for {
		header, body, err := p.pageReader.next()
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

func (p *ColumnReader) loadDictionary(header *format.PageHeader, body []byte) error {
	if p.hasDictionary {
		return nil
	}
	values, n, err := p.dictionaryPage(header, body)
	if err != nil {
		return err
	}
	p.hasDictionary, p.dictionaryLen = true, n
	return p.dictionary.load(p.source, p.Leaf.Kind, format.Plain, values, n)
}

// load prepares the values of the page, and checks their number against its levels.
func (p *ColumnReader) load(page *dataPage) (err error) {
	values := page.entries
	if p.Leaf.MaxDef > 0 {
		if p.Defs, err = p.levels(p.Defs, page.defs, p.Leaf.MaxDef, page.entries); err != nil {
			return err
		}
		values = 0
		for _, def := range p.Defs {
			if def > p.Leaf.MaxDef {
				return errPage
			}
			if def == p.Leaf.MaxDef {
				values++
			}
		}
	}
	if p.Leaf.MaxRep > 0 {
		if p.Reps, err = p.levels(p.Reps, page.reps, p.Leaf.MaxRep, page.entries); err != nil {
			return err
		}
		// Every writer of these tables ends a page between rows.
		if page.entries > 0 && p.Reps[0] != 0 {
			return errPage
		}
		for i, rep := range p.Reps {
			if rep > p.Leaf.MaxRep || rep > p.Defs[i] { // in a list that is empty
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
		if p.end > 0 && p.Leaf.Kind == parquet.ByteArray && p.Leaf.MaxDef == 0 {
			err = p.plain.loadWanted(p.source, page.encoding, page.values, values, p.skip, p.end)
		} else {
			err = p.plain.load(p.source, p.Leaf.Kind, page.encoding, page.values, values)
		}
	}
	if err == nil {
		p.Entries = page.entries
	}
	return err
}

func (p *ColumnReader) loadIndex(data []byte, n int) (err error) {
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
func (d *decoded) load(s *Source, kind parquet.Kind, encoding format.Encoding, data []byte, n int) error {
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
	d.Numbers = resize(d.Numbers, n)
	for i := range d.Numbers {
		switch bits {
		case 1:
			d.Numbers[i] = uint64(data[i/8] >> (i % 8) & 1)
		case 32:
			d.Numbers[i] = uint64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		default:
			d.Numbers[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	}
	return nil
}

func (d *decoded) loadTexts(s *Source, encoding format.Encoding, data []byte, n int) error {
	d.Texts = nil // rows may share the memory of the page before
	if n == 0 {
		return nil
	}
	data, offsets, err := s.byteArrays(data, n, encoding)
	if err != nil {
		return err
	}
	all := string(data[:offsets[n]])
	d.Texts = make([]string, n)
	for i := range d.Texts {
		d.Texts[i] = all[offsets[i]:offsets[i+1]]
	}
	return nil
}

// loadWanted decodes the texts of the rows from first to end, of a column without nulls. Those that follow an equal
// one share its memory.
func (d *decoded) loadWanted(s *Source, encoding format.Encoding, data []byte, n int, first, end int64) error {
	if n == 0 {
		return nil
	}
	data, offsets, err := s.byteArrays(data, n, encoding)
	if err != nil {
		return err
	}
	d.Texts = resize(d.Texts, n)
	clear(d.Texts)
	last := ""
	for i := max(0, first); i < min(int64(n), end); i++ {
		if text := data[offsets[i]:offsets[i+1]]; string(text) != last {
			last = string(text)
		}
		d.Texts[i] = last
	}
	return nil
}

// NextValue returns the index of the next value in Texts or Numbers.
func (p *ColumnReader) NextValue() int {
	n := p.value
	p.value++
	if p.isIndexed {
		return int(p.index[n])
	}
	return n
}

// IsIndexed reports whether the numbers that NextValue returns are those of the chunk's dictionary.
func (p *ColumnReader) IsIndexed() bool { return p.isIndexed }

// PeekText returns the text n rows ahead, in a column without nulls.
func (p *ColumnReader) PeekText(n int) string {
	i := p.value + n
	if p.isIndexed {
		i = int(p.index[i])
	}
	return p.Texts[i]
}

// IsValue reports whether an entry is a value, as opposed to a null or an empty list.
func (p *ColumnReader) IsValue(entry int) bool {
	return p.Leaf.MaxDef == 0 || p.Defs[entry] == p.Leaf.MaxDef
}

// SeekRow makes a row of the row group the next one, of n that are wanted.
func (p *ColumnReader) SeekRow(row, n int64) error {
	c := p.chunk
	if !c.isKept() {
		offset, first := c.pageOf(row)
		return p.seekPage(offset, row-first)
	}
	p.release()
	if p.page = c.pageWith(row); p.page < 0 {
		return errPage
	}
	p.skip = row - int64(c.pages[p.page].first)
	p.end = p.skip + n
	p.wanted = c.endOf(c.pageWith(row + n - 1))
	return nil
}

// seekPage makes a row of the page at an offset the next one.
func (p *ColumnReader) seekPage(offset, row int64) error {
	p.release()
	if row < 0 || offset < p.chunk.begin || offset > p.chunk.end {
		return errPage
	}
	if err := p.needDictionary(); err != nil {
		return err
	}
	p.offset = offset
	return p.Skip(row)
}

// Skip skips rows. It does not read pages that it can skip as a whole.
func (p *ColumnReader) Skip(rows int64) error {
	for rows > 0 {
		if p.At == p.Entries {
			if n, next := p.chunk.pageRows(p.offset); 0 < n && n <= rows {
				p.release()
				p.offset = next
				rows -= n
				continue
			}
		}
		if err := p.Next(); err != nil {
			return err
		}
		for rows > 0 && p.At < p.Entries {
			if p.IsValue(p.At) {
				p.value++
			}
			if p.At++; p.At == p.Entries || p.Leaf.MaxRep == 0 || p.Reps[p.At] == 0 {
				rows--
			}
		}
	}
	return nil
}

// maxWindow is the most bytes of several pages that are read from the file at once.
const maxWindow = 128 << 10

// booleans are the values of a page of booleans, by their numbers.
var booleans = decoded{Numbers: []uint64{0, 1}}

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
