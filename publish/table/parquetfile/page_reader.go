package parquetfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageReader reads the pages of a chunk: the reverse of [ColumnWriter]. It compares a page's
// header with the footer and with the page before it allocates. The library's reader allocates
// first: one wrong byte costs it gigabytes.
type pageReader struct {
	Leaf    *Leaf // of the file
	column  int
	source  *Source
	chunk   *chunk
	entries int64 // at most so many are in a page
	offset  int64 // of the next page in the file
	upTo    int64 // the end of the bytes that are read together with the header; 0 if it is not known
}

// The limits of a page. No writer reaches them.
const (
	maxPageBytes   = 256 << 20
	maxPageEntries = 16 << 20
	maxPageHeader  = 4 << 10
)

// Source is a file with memory, used by the columns of a reader in turn.
type Source struct {
	file    io.ReaderAt
	window  []byte // a part of the file
	at      int64  // its position in the file
	plain   []byte // a page, decompressed
	texts   []byte
	offsets []uint32
}

// dataPage is a page with its parts still encoded. They are valid until the next page is read.
type dataPage struct {
	entries    int // nulls and empty lists included
	encoding   format.Encoding
	reps, defs []byte // levels; empty if the column has none
	values     []byte
}

var sources = sync.Pool{New: func() any { return new(Source) }}

// NewSource returns a source for the columns of a file. Close gives its memory back.
func NewSource(file io.ReaderAt) *Source {
	s := sources.Get().(*Source)
	s.file, s.window = file, s.window[:0]
	return s
}

// Close gives the memory to another reader, unless it is unusually large.
func (s *Source) Close() {
	if s.file == nil {
		return
	}
	if s.file = nil; cap(s.window)+cap(s.plain)+cap(s.texts)+4*cap(s.offsets) <= 2<<20 {
		sources.Put(s)
	}
}

// read returns a part of the file, which is valid until the next call.
func (s *Source) read(offset, size int64) ([]byte, error) {
	if offset < s.at || offset+size > s.at+int64(len(s.window)) {
		s.window, s.at = resize(s.window, int(size)), offset
		if n, err := s.file.ReadAt(s.window, offset); n < len(s.window) {
			s.window = s.window[:0]
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	from := offset - s.at
	return s.window[from : from+size], nil
}

// resize returns memory for n elements, whose content is undefined.
func resize[V any](memory []V, n int) []V { return slices.Grow(memory[:0], n)[:n] }

// open begins to read a chunk.
func (c *pageReader) open(group *Group) {
	c.chunk = group.chunk(c.column)
	if c.entries = c.chunk.rows; c.Leaf.MaxRep > 0 {
		c.entries = c.chunk.entries
	}
	c.entries = min(c.entries, maxPageEntries)
	c.offset = c.chunk.begin
}

// next reads the header and the body of the next page. It returns io.EOF after the last one.
func (c *pageReader) next() (h format.PageHeader, body []byte, err error) {
	left := c.chunk.end - c.offset
	if left <= 0 {
		return h, nil, io.EOF
	}
	size := int64(maxPageHeader)
	if c.upTo > c.offset {
		size = c.upTo - c.offset
	}
	head, err := c.source.read(c.offset, min(left, size))
	if err != nil {
		return h, nil, err
	}
	in := new(thrift.CompactProtocol).NewReaderFromBytes(head)
	if err := thrift.NewDecoder(in).Decode(&h); err != nil {
		return h, nil, fmt.Errorf("the header of a page: %w", err)
	}
	length := int64(in.BytesRead())
	size = int64(h.CompressedPageSize)
	if size < 0 || size > left-length || h.UncompressedPageSize < 0 || int64(h.UncompressedPageSize) > min(c.chunk.plain, maxPageBytes) {
		return h, nil, errPage
	}
	if body, err = c.source.read(c.offset+length, size); err != nil {
		return h, nil, err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(body) {
		return h, nil, fmt.Errorf("a page does not match its checksum: %w", errPage)
	}
	c.offset += length + size
	return h, body, nil
}

// dataPage takes a data page apart.
func (c *pageReader) dataPage(h *format.PageHeader, body []byte) (p dataPage, err error) {
	entries := int64(0)
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		v := &h.DataPageHeader.V
		entries, p.encoding = int64(v.NumValues), v.Encoding
		if body, err = c.decompress(body, int(h.UncompressedPageSize)); err != nil {
			return p, err
		}
		if c.Leaf.MaxRep > 0 {
			p.reps, body, err = cutLevels(body, v.RepetitionLevelEncoding)
		}
		if c.Leaf.MaxDef > 0 && err == nil {
			p.defs, body, err = cutLevels(body, v.DefinitionLevelEncoding)
		}
		if err != nil {
			return p, err
		}
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		v := &h.DataPageHeaderV2.V
		entries, p.encoding = int64(v.NumValues), v.Encoding
		reps, defs := int64(v.RepetitionLevelsByteLength), int64(v.DefinitionLevelsByteLength)
		if reps < 0 || defs < 0 || reps+defs > int64(min(len(body), int(h.UncompressedPageSize))) {
			return p, errPage
		}
		p.reps, p.defs, body = body[:reps], body[reps:reps+defs], body[reps+defs:]
		if !v.IsCompressed.Valid || v.IsCompressed.V {
			p.reps, p.defs = slices.Clone(p.reps), slices.Clone(p.defs)
			if body, err = c.decompress(body, int(int64(h.UncompressedPageSize)-reps-defs)); err != nil {
				return p, err
			}
		}
	default:
		return p, fmt.Errorf("a page of the type %v: %w", h.Type, ErrFormat)
	}
	if entries < 0 || entries > c.entries {
		return p, errPage
	}
	p.entries, p.values = int(entries), body
	return p, nil
}

// dictionaryPage returns the values of a dictionary and their number.
func (c *pageReader) dictionaryPage(h *format.PageHeader, body []byte) (values []byte, n int, err error) {
	d := &h.DictionaryPageHeader.V
	if !h.DictionaryPageHeader.Valid || d.Encoding != format.Plain {
		return nil, 0, errPage
	}
	values, err = c.decompress(body, int(h.UncompressedPageSize))
	return values, int(d.NumValues), err
}

// cutLevels cuts levels off, behind their length.
func cutLevels(data []byte, encoding format.Encoding) (levels, rest []byte, err error) {
	if len(data) < 4 || encoding != format.RLE {
		return nil, nil, errPage
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if data = data[4:]; n > int64(len(data)) {
		return nil, nil, errPage
	}
	return data[:n], data[n:], nil
}

// decompress returns a page, which must have the stated size.
func (c *pageReader) decompress(data []byte, size int) (_ []byte, err error) {
	switch c.chunk.codec {
	case format.Uncompressed:
	case format.Zstd:
		if len(data) == 0 && size == 0 {
			return nil, nil
		}
		var h zstd.Header
		if err := h.Decode(data); err != nil {
			return nil, err
		}
		if h.HasFCS && h.FrameContentSize != uint64(size) {
			return nil, errPage
		}
		c.source.plain = resize(c.source.plain, size)
		if data, err = decoder().DecodeAll(data, c.source.plain[:0:size]); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the compression %v: %w", c.chunk.codec, ErrFormat)
	}
	if len(data) != size {
		return nil, errPage
	}
	return data, nil
}

// levels decodes n levels into memory.
func (c *pageReader) levels(memory, data []byte, most byte, n int) ([]byte, error) {
	width := bits.Len8(most)
	data, err := cutRuns(data, width, n)
	if err != nil {
		return nil, err
	}
	levels, err := (&rle.Encoding{BitWidth: width}).DecodeLevels(slices.Grow(memory[:0], n+7), data)
	if err != nil {
		return nil, err
	}
	return levels[:n], nil
}

// indexes decodes n indexes of a dictionary into memory.
func indexes(memory []int32, data []byte, n int) ([]int32, error) {
	if n == 0 {
		return memory[:0], nil
	}
	if len(data) == 0 || data[0] > 32 {
		return nil, errPage
	}
	width := int(data[0])
	data, err := cutRuns(data[1:], width, n)
	if err != nil {
		return nil, err
	}
	all, err := (&rle.Encoding{BitWidth: width}).DecodeInt32(slices.Grow(memory[:0], n+7), data)
	if err != nil {
		return nil, err
	}
	return all[:n], nil
}

// cutRuns returns the runs with n values. The last one may have up to seven more.
func cutRuns(data []byte, width, n int) ([]byte, error) {
	at := 0
	for left := uint64(n); left > 0; {
		run, size := binary.Uvarint(data[at:])
		count, length := run>>1, uint64(width+7)/8
		most := left
		if run&1 == 1 { // groups of eight
			most = (left + 7) / 8
			length = count * uint64(width)
		}
		if size <= 0 || count == 0 || count > most || length > uint64(len(data)-at-size) {
			return nil, errPage
		}
		if at += size + int(length); run&1 == 1 {
			count *= 8
		}
		left -= min(left, count)
	}
	return data[:at], nil
}

// byteArrays decodes n texts, and checks where they begin and end. The memory is valid until the next call.
func (s *Source) byteArrays(data []byte, n int, encoding format.Encoding) (_ []byte, _ []uint32, err error) {
	switch encoding {
	case format.Plain:
		s.texts, s.offsets, err = new(plain.Encoding).DecodeByteArray(s.texts, data, s.offsets)
	case format.DeltaLengthByteArray:
		if err := checkDelta(data, n); err != nil {
			return nil, nil, err
		}
		s.texts, s.offsets, err = new(delta.LengthByteArrayEncoding).DecodeByteArray(s.texts, data, s.offsets)
	default:
		err = fmt.Errorf("texts in the encoding %v: %w", encoding, ErrFormat)
	}
	if err == nil && (n < 0 || len(s.offsets) <= n || int64(s.offsets[n]) > int64(len(s.texts)) || !slices.IsSorted(s.offsets[:n+1])) {
		err = errPage
	}
	return s.texts, s.offsets, err
}

// checkDelta checks the number of values stated by a delta encoding.
func checkDelta(data []byte, n int) error {
	for range 2 { // the size of a block, and its parts
		_, size := binary.Uvarint(data)
		if size <= 0 {
			return errPage
		}
		data = data[size:]
	}
	if total, size := binary.Uvarint(data); size <= 0 || total != uint64(n) {
		return errPage
	}
	return nil
}
