package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// ColumnWriter encodes one column of a row group into Parquet pages: levels, values, page
// headers and bounds. The encodings are the library's.
//
// Source: https://github.com/apache/parquet-format, README.md and Encodings.md.
type ColumnWriter struct {
	leaf      *Leaf
	hasBounds bool
	codec     *codec

	page   page
	values values
	pages  []byte // the finished data pages, compressed, with their headers
	// dictionaryPage is empty if the column has no dictionary, or Finish was not called.
	dictionaryPage []byte

	locations []format.PageLocation // offsets are those in pages
	bounds    []bounds              // of each page
	rows      int64                 // begun so far
	numValues int64
	nulls     int64
	plainSize int64 // of the finished pages before compression, headers included

	plain               [8]byte // of the number at hand
	scratch, compressed []byte
	header              headerEncoder
	pageRows            int64 // most rows of a page; 0 for no bound
}

// page is the unfinished data page.
type page struct {
	reps, defs []byte // levels, one byte each
	size       int    // of levels and values before encoding
	firstRow   int64
	bounds     bounds
}

// bounds are the least and the greatest value of a page or chunk, as Parquet writes them.
type bounds struct {
	min, max []byte
	nulls    int64
	any      bool // at least one value that is not null
}

// pageBytes is the size of a page before encoding. It is fixed, so that the same rows have the same bytes.
const pageBytes = 64 << 10

// longBound is the length in bytes from which a text is too long to be a bound. A chunk with such
// a text has no bounds.
const longBound = 128

// values are the values of a page other than null, in the form needed by the column's encoding.
type values struct {
	indexes []int32 // of the page, in the dictionary
	dictionary
	plain   []byte   // numbers and texts: of the page
	offsets []uint32 // of the texts in plain; the first one is 0
	bools   int      // the number of booleans in plain
	encoded []byte   // buffer
	long    bool     // a text of the chunk is too long to be a bound
}

// NewColumnWriter returns a writer of a column. If hasBounds is true, its pages and chunks have
// their least and greatest values. If pageRows is not 0, it is the most rows of a page: small
// pages cost bytes, but a few rows are then cheap to read.
func NewColumnWriter(l *Leaf, hasBounds bool, pageRows int64) *ColumnWriter {
	c := &ColumnWriter{leaf: l, hasBounds: hasBounds, pageRows: pageRows, codec: fastest, values: values{offsets: make([]uint32, 1)}}
	if l.encoding == format.RLEDictionary {
		c.codec = thorough
		c.values.dictionary.isText = l.Kind == parquet.ByteArray
	}
	return c
}

// Memory returns the bytes of memory that the writer keeps.
func (c *ColumnWriter) Memory() int { return cap(c.pages) + cap(c.values.plain) }

// reset removes everything and keeps the memory.
func (c *ColumnWriter) reset() {
	c.values.dictionary.reset()
	c.values.long = false
	c.pages, c.dictionaryPage, c.locations, c.bounds = c.pages[:0], nil, c.locations[:0], c.bounds[:0]
	c.rows, c.numValues, c.nulls, c.plainSize, c.page.firstRow = 0, 0, 0, 0, 0
}

// Add encodes values. Each is one byte (repetition level × 16 + definition level) and, unless it
// is null, a text or a number. A text is its length in unsigned varint and its bytes; a number is
// eight bytes, little endian. A page of pageBytes ends before the next row, so the pages do not
// depend on the division of rows into streams.
func (c *ColumnWriter) Add(stream []byte) error {
	p, maxDef := &c.page, c.leaf.MaxDef
	for len(stream) > 0 {
		level := stream[0]
		stream = stream[1:]
		rep, def := level>>4, level&0xf
		if rep == 0 {
			if p.size >= pageBytes || c.pageRows > 0 && c.rows-p.firstRow >= c.pageRows {
				if err := c.endPage(); err != nil {
					return err
				}
			}
			c.rows++
		}
		if c.leaf.MaxRep > 0 {
			p.reps = append(p.reps, rep)
		}
		p.defs = append(p.defs, def)
		p.size++
		if def < maxDef {
			p.bounds.nulls++
			continue
		}
		if c.leaf.Kind != parquet.ByteArray {
			c.number(binary.LittleEndian.Uint64(stream))
			stream = stream[8:]
			continue
		}
		n, size := uint64(stream[0]), 1
		if n >= 0x80 {
			n, size = binary.Uvarint(stream)
		}
		c.text(stream[size : size+int(n)])
		stream = stream[size+int(n):]
	}
	return nil
}

func (c *ColumnWriter) text(text []byte) {
	v, p := &c.values, &c.page
	if c.leaf.encoding == format.RLEDictionary {
		before := v.last.entry
		v.indexes = append(v.indexes, v.dictionary.text(view(text)))
		p.size += 4
		if v.last.entry == before {
			return
		}
	} else {
		v.plain = append(v.plain, text...)
		v.offsets = append(v.offsets, uint32(len(v.plain)))
		p.size += 4 + len(text)
	}
	if c.hasBounds {
		v.long = v.long || len(text) >= longBound
		if !v.long {
			p.bounds.add(text, text, bytes.Compare)
		}
	}
}

func (c *ColumnWriter) number(number uint64) {
	v, p := &c.values, &c.page
	size := 8
	switch c.leaf.Kind {
	case parquet.Boolean:
		if v.bools%8 == 0 {
			v.plain = append(v.plain, 0)
		}
		v.plain[v.bools/8] |= byte(number) << (v.bools % 8)
		v.bools++
		size = 1
	case parquet.Int32:
		size = 4
	}
	plain := &c.plain
	binary.LittleEndian.PutUint64(plain[:], number)
	switch {
	case c.leaf.Kind == parquet.Boolean:
	case c.leaf.encoding == format.RLEDictionary:
		v.indexes = append(v.indexes, v.dictionary.plain(number, plain[:size]))
	default:
		v.plain = append(v.plain, plain[:size]...)
	}
	p.size += size
	if c.hasBounds {
		p.bounds.add(plain[:size], plain[:size], c.leaf.compare)
	}
}

func (b *bounds) add(least, greatest []byte, compare func(a, b []byte) int) {
	if !b.any || compare(least, b.min) < 0 {
		b.min = append(b.min[:0], least...)
	}
	if !b.any || compare(greatest, b.max) > 0 {
		b.max = append(b.max[:0], greatest...)
	}
	b.any = true
}

// endPage encodes and compresses the page.
func (c *ColumnWriter) endPage() (err error) {
	p, v := &c.page, &c.values
	entries := len(p.defs)
	if entries == 0 {
		return nil
	}
	data := c.scratch[:0]
	if c.leaf.MaxRep > 0 {
		if data, err = appendLevels(data, p.reps, c.leaf.MaxRep); err != nil {
			return err
		}
	}
	if c.leaf.MaxDef > 0 {
		if data, err = appendLevels(data, p.defs, c.leaf.MaxDef); err != nil {
			return err
		}
	}
	if data, err = v.append(data, c.leaf); err != nil {
		return err
	}
	c.scratch = data
	offset := len(c.pages)
	c.pages, err = c.appendPage(c.pages, format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: int32(entries), Encoding: c.leaf.encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})}, data)
	if err != nil {
		return err
	}
	c.locations = append(c.locations, format.PageLocation{Offset: int64(offset), CompressedPageSize: int32(len(c.pages) - offset), FirstRowIndex: p.firstRow})
	c.numValues += int64(entries)
	c.nulls += p.bounds.nulls
	c.bounds = append(c.bounds, bounds{slices.Clone(p.bounds.min), slices.Clone(p.bounds.max), p.bounds.nulls, p.bounds.any})
	*p = page{reps: p.reps[:0], defs: p.defs[:0], firstRow: c.rows, bounds: bounds{min: p.bounds.min, max: p.bounds.max}}
	v.indexes, v.plain, v.offsets, v.bools = v.indexes[:0], v.plain[:0], v.offsets[:1], 0
	v.last = valueSlot{}
	return nil
}

// appendPage appends a page with its header, compressed.
func (c *ColumnWriter) appendPage(to []byte, header format.PageHeader, data []byte) ([]byte, error) {
	c.compressed = c.codec.encode(c.compressed, data)
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(data)), int32(len(c.compressed))
	header.CRC = int32(crc32.ChecksumIEEE(c.compressed))
	head, err := c.header.encode(&header)
	if err != nil {
		return to, err
	}
	c.plainSize += int64(len(head) + len(data))
	return append(append(to, head...), c.compressed...), nil
}

// appendLevels appends levels behind their length.
func appendLevels(to, levels []byte, most byte) ([]byte, error) {
	at := len(to)
	to = append(to, 0, 0, 0, 0)
	encoded, err := (&rle.Encoding{BitWidth: bits.Len8(most)}).EncodeLevels(to[at+4:], levels)
	if err != nil {
		return to, err
	}
	binary.LittleEndian.PutUint32(to[at:], uint32(len(encoded)))
	return append(to[:at+4], encoded...), nil // the same memory, unless it was too small
}

// append appends the values of a page in the column's encoding.
func (v *values) append(to []byte, l *Leaf) ([]byte, error) {
	var err error
	switch l.encoding {
	case format.RLEDictionary:
		v.encoded, err = appendIndexes(v.encoded[:0], v.indexes)
	case format.DeltaLengthByteArray:
		v.encoded, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(v.encoded, v.plain, v.offsets)
	case format.Plain:
		return append(to, v.plain...), nil
	default:
		err = fmt.Errorf("column %s: no encoding %s", l.Name, l.encoding)
	}
	return append(to, v.encoded...), err
}

// appendIndexes appends the indexes of a dictionary after their width. The width is a whole
// number of bytes. Rows repeat earlier ones, as the same players in many markets, and the
// compression only finds repeats that begin at a byte.
func appendIndexes(to []byte, indexes []int32) ([]byte, error) {
	most := int32(0)
	for _, i := range indexes {
		most = max(most, i)
	}
	width := (bits.Len32(uint32(most)) + 7) / 8 * 8
	to = append(to, byte(width))
	encoded, err := (&rle.Encoding{BitWidth: width}).EncodeInt32(to[len(to):], indexes)
	return append(to, encoded...), err
}

// headerEncoder encodes page headers.
type headerEncoder struct {
	buffer  bytes.Buffer
	encoder *thrift.Encoder
}

func (h *headerEncoder) encode(header *format.PageHeader) ([]byte, error) {
	if h.encoder == nil {
		h.encoder = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&h.buffer))
	}
	h.buffer.Reset()
	err := h.encoder.Encode(header)
	return h.buffer.Bytes(), err
}

// Finish ends the last page and makes the dictionary page.
func (c *ColumnWriter) Finish() (err error) {
	if err := c.endPage(); err != nil || c.leaf.encoding != format.RLEDictionary {
		return err
	}
	d := &c.values.dictionary
	c.dictionaryPage, err = c.appendPage(nil, format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(len(d.ends)), Encoding: format.Plain,
	})}, d.entries)
	return err
}

// metadata describes the finished chunk. offset is its position in the file. It begins with the
// dictionary page if there is one.
func (c *ColumnWriter) metadata(offset int64) format.ColumnMetaData {
	dictionary := len(c.dictionaryPage)
	m := format.ColumnMetaData{
		Type: format.Type(c.leaf.Kind), PathInSchema: c.leaf.Path, Codec: format.Zstd, NumValues: c.numValues,
		Encoding:              thrift.Slice[format.Encoding]{c.leaf.encoding, format.RLE},
		TotalUncompressedSize: c.plainSize, TotalCompressedSize: int64(dictionary + len(c.pages)), DataPageOffset: offset + int64(dictionary),
		Statistics: format.Statistics{NullCount: c.nulls},
	}
	if c.leaf.encoding == format.RLEDictionary {
		m.DictionaryPageOffset = offset
		m.Encoding = append(m.Encoding, format.Plain)
	}
	if c.hasBounds && !c.values.long {
		var all bounds
		for _, b := range c.bounds {
			if b.any {
				all.add(b.min, b.max, c.leaf.compare)
			}
		}
		if all.any {
			m.Statistics.MinValue, m.Statistics.MaxValue = all.min, all.max
		}
	}
	return m
}

// index returns the bounds of the pages; false if they are not kept.
func (c *ColumnWriter) index() (index format.ColumnIndex, ok bool) {
	if !c.hasBounds || c.values.long {
		return index, false
	}
	ascending := true
	for i, b := range c.bounds {
		index.NullPages = append(index.NullPages, !b.any)
		index.NullCounts = append(index.NullCounts, b.nulls)
		if !b.any {
			b.min, b.max = nil, nil
		}
		index.MinValues, index.MaxValues = append(index.MinValues, b.min), append(index.MaxValues, b.max)
		if i > 0 && b.any && c.bounds[i-1].any {
			before := &c.bounds[i-1]
			ascending = ascending && c.leaf.compare(before.min, b.min) <= 0 && c.leaf.compare(before.max, b.max) <= 0
		} else if i > 0 {
			ascending = false
		}
	}
	if ascending {
		index.BoundaryOrder = format.Ascending
	}
	return index, true
}
