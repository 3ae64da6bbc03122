package table

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Header is stored in a file's metadata, under the keys below with the prefix "mkt.".
type Header struct {
	ClientID          string // client_id
	Product           string // product
	CycleID           string // cycle_id
	Provider          string // provider
	DerivationVersion string // derivation_version
}

// The layout of a file is fixed, so that the same rows have the same bytes.
const (
	groupRows  = 16 << 10 // rows after which a row group ends with its last fixture
	groupBytes = 64 << 20 // or bytes before encoding: usually it has a quarter of that
	pageBytes  = 64 << 10 // before encoding
)

// Rows are encoded when their columns have this many bytes together. It does not change
// the file.
const drainBytes = 256 << 10

// Writer writes the rows of one table in order. Its memory is bounded by one row
// group. It does not sync: see package durable. A Writer is not safe for concurrent
// use.
type Writer[T Row] struct {
	*buffers
	spec    *spec
	offset  int64
	footer  format.FileMetaData
	last    key
	encoded *columns // of WriteEncoded
	tally   *tally
	group   int64 // rows of the row group that are encoded
	bytes   int   // of their columns
	indexes [][]chunkIndex
	failed  error // the first error of writing
}

// buffers is the memory of a Writer, which another Writer of the table uses after it.
type buffers struct {
	out    *bufio.Writer
	rows   *columns // not encoded yet
	chunks []*chunk
}

func (s *spec) newBuffers() any {
	b := &buffers{out: bufio.NewWriterSize(nil, 32<<10), rows: newColumns(s), chunks: make([]*chunk, len(s.leaves))}
	for i := range b.chunks {
		b.chunks[i] = newChunk(s, &s.leaves[i])
	}
	return b
}

// release gives the memory to the next Writer, unless it is that of an unusually large table.
func (b *buffers) release(s *spec) {
	size := 0
	for i, c := range b.chunks {
		size += cap(b.rows.leaves[i].bytes) + cap(c.pages) + cap(c.values.plain)
	}
	if size <= 2<<20 {
		b.out.Reset(nil)
		s.buffers.Put(b)
	}
}

// chunkIndex are the two page indexes of a chunk.
type chunkIndex struct {
	bounds    format.ColumnIndex
	hasBounds bool
	offsets   format.OffsetIndex
}

// NewWriter returns a Writer of a new table. Close must be called after the last row.
func NewWriter[T Row](w io.Writer, h Header) *Writer[T] {
	s := specOf[T]()
	out := &Writer[T]{spec: s, buffers: s.buffers.Get().(*buffers), tally: newTally(s)}
	out.out.Reset(w)
	out.footer = s.footer()
	for name, value := range s.metadata(h) {
		out.footer.KeyValueMetadata = append(out.footer.KeyValueMetadata, format.KeyValue{Key: name, Value: value})
	}
	slices.SortFunc(out.footer.KeyValueMetadata, func(a, b format.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func (s *spec) metadata(h Header) map[string]string {
	return map[string]string{
		"mkt.table":              s.name,
		"mkt.format":             strconv.Itoa(Version),
		"mkt.client_id":          h.ClientID,
		"mkt.product":            h.Product,
		"mkt.cycle_id":           h.CycleID,
		"mkt.provider":           h.Provider,
		"mkt.derivation_version": h.DerivationVersion,
		"mkt.columns":            s.columns,
	}
}

// Write adds rows, which must follow the earlier rows in the table's order.
func (w *Writer[T]) Write(rows ...T) error {
	for i := range rows {
		if err := w.begin(keyOf(&rows[i])); err != nil {
			return err
		}
		shred(w.rows, w.spec.slots, rowsOf(rows[i:i+1]))
		if err := w.added(1); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the next row, or the first one of a fixture, the last: it must follow it. A row
// group ends only between fixtures.
func (w *Writer[T]) begin(next key) error {
	before := w.last
	if err := w.inOrder(next); err != nil {
		return err
	}
	isFull := w.group+int64(w.rows.rows) >= groupRows || w.bytes+w.rows.size() >= groupBytes
	if !isFull || len(w.spec.sorting) > 1 && before.first == next.first {
		return nil
	}
	return w.endGroup()
}

// added counts rows that were added to w.rows, and encodes them if they are many.
func (w *Writer[T]) added(n int) error {
	w.rows.rows += n
	w.tally.rows += int64(n)
	if w.rows.size() < drainBytes {
		return nil
	}
	return w.drain()
}

// drain hashes and encodes the rows, and forgets them.
func (w *Writer[T]) drain() error {
	err := w.each(w.rows.size() >= drainBytes, func(i int) error {
		s := &w.rows.leaves[i]
		w.tally.add(i, s)
		return w.chunks[i].add(s.bytes)
	})
	w.group += int64(w.rows.rows)
	w.bytes += w.rows.size()
	w.rows.reset()
	return err
}

// each calls do for every leaf, on two goroutines if it is much.
func (w *Writer[T]) each(much bool, do func(leaf int) error) error {
	if !much {
		for i := range w.chunks {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	work := func() error {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(w.chunks) {
				return nil
			}
			if err := do(i); err != nil {
				return err
			}
		}
	}
	second := make(chan error, 1)
	go func() { second <- work() }()
	return errors.Join(work(), <-second)
}

// endGroup writes the row group.
func (w *Writer[T]) endGroup() error {
	if err := w.drain(); err != nil || w.group == 0 {
		return err
	}
	dictionaries := make([][]byte, len(w.chunks))
	err := w.each(w.group >= groupRows, func(i int) (err error) {
		dictionaries[i], err = w.chunks[i].finish()
		return err
	})
	if err != nil {
		return err
	}
	if w.offset == 0 {
		w.write([]byte(magic))
	}
	group := format.RowGroup{NumRows: w.group, SortingColumns: w.spec.sortingColumns(), FileOffset: w.offset, Ordinal: int16(len(w.footer.RowGroups))}
	indexes := make([]chunkIndex, len(w.chunks))
	for i, c := range w.chunks {
		m := c.metadata(w.offset, len(dictionaries[i]))
		w.write(dictionaries[i])
		w.write(c.pages)
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: m})
		group.TotalByteSize += m.TotalUncompressedSize
		group.TotalCompressedSize += m.TotalCompressedSize
		for _, at := range c.locations {
			at.Offset += m.DataPageOffset
			indexes[i].offsets.PageLocations = append(indexes[i].offsets.PageLocations, at)
		}
		indexes[i].bounds, indexes[i].hasBounds = c.index()
		c.reset()
	}
	w.footer.RowGroups = append(w.footer.RowGroups, group)
	w.footer.NumRows += w.group
	w.indexes = append(w.indexes, indexes)
	w.group, w.bytes = 0, 0
	return w.failed
}

const magic = "PAR1"

// write writes to the file. endGroup and Close return its error.
func (w *Writer[T]) write(data []byte) {
	n, err := w.out.Write(data)
	w.offset += int64(n)
	w.failed = cmp.Or(w.failed, err)
}

// Close writes the remaining rows and the footer, and returns the summary. It does
// not close the underlying writer.
func (w *Writer[T]) Close() (Summary, error) {
	if err := w.endGroup(); err != nil {
		return Summary{}, err
	}
	if w.offset == 0 {
		w.write([]byte(magic))
	}
	var buffer bytes.Buffer
	encoder := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&buffer))
	encode := func(v any) (at int64, length int32, err error) {
		buffer.Reset()
		if err := encoder.Encode(v); err != nil {
			return 0, 0, err
		}
		at = w.offset
		w.write(buffer.Bytes())
		return at, int32(buffer.Len()), nil
	}
	for g := range w.indexes {
		for i := range w.indexes[g] {
			if !w.indexes[g][i].hasBounds {
				continue
			}
			c := &w.footer.RowGroups[g].Columns[i]
			var err error
			if c.ColumnIndexOffset, c.ColumnIndexLength, err = encode(&w.indexes[g][i].bounds); err != nil {
				return Summary{}, err
			}
		}
	}
	for g := range w.indexes {
		for i := range w.indexes[g] {
			c := &w.footer.RowGroups[g].Columns[i]
			var err error
			if c.OffsetIndexOffset, c.OffsetIndexLength, err = encode(&w.indexes[g][i].offsets); err != nil {
				return Summary{}, err
			}
		}
	}
	_, length, err := encode(&w.footer)
	if err != nil {
		return Summary{}, err
	}
	w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(length)), magic...))
	if err := w.out.Flush(); err != nil {
		return Summary{}, err
	}
	w.release(w.spec)
	w.buffers = nil // a Writer that is used again panics
	return w.tally.summary(), nil
}

// key is a row's position in the order of its table.
type key struct {
	seq           int64
	first, second string
	place, added  int32
}

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.seq, other.seq), cmp.Compare(k.first, other.first), cmp.Compare(k.second, other.second),
		cmp.Compare(k.place, other.place), cmp.Compare(k.added, other.added))
}

// number returns the number that the table sorts by.
func (k key) number() int64 { return k.seq + int64(k.place) }

func keyOf[T Row](row *T) key {
	switch r := any(row).(type) {
	case *FixtureRow:
		return key{first: r.FixtureID}
	case *MarketRow:
		return key{first: r.FixtureID, second: r.MarketID}
	case *ListingRow:
		return key{first: r.FixtureID}
	case *EventRow:
		return key{seq: r.Seq}
	case *LiveRow:
		return key{first: r.FixtureID}
	case *LiveCounterRow:
		return key{first: r.FixtureID, second: r.Metric}
	case *LiveTimelineRow:
		return key{first: r.FixtureID, place: r.Ordinal}
	case *LiveBucketRow:
		return key{first: r.FixtureID, place: r.Minute, added: r.Added}
	case *LivePeriodRow:
		return key{first: r.FixtureID, place: r.Half}
	case *LiveStateRow:
		return key{first: r.FixtureID}
	}
	return key{}
}

// inOrder checks that the next row follows the last one in the table's order.
func (w *Writer[T]) inOrder(next key) error {
	if next.compare(w.last) <= 0 {
		return fmt.Errorf("table %s: row %d (%s %s %d) does not follow the row before it (%s %s %d)", w.spec.name,
			w.tally.rows, next.first, next.second, next.number(), w.last.first, w.last.second, w.last.number())
	}
	w.last = next
	return nil
}

// fastest is zstd at its fastest level, with entropy coding even of what does not repeat:
// opaque ids, which are most of a file, shrink by a third. thorough looks longer for what
// repeats, which pays where values are indexes of a dictionary.
var (
	fastest  = newCodec(zstd.SpeedFastest)
	thorough = newCodec(zstd.SpeedDefault)
)

type codec struct {
	encoder *zstd.Encoder // safe for concurrent use
}

// Encoders have their tables and a window of memory, which are kept. That many pages of a level
// are compressed at the same time, and no page is larger than the window, except for some
// dictionaries.
const (
	maxEncoders = 8
	window      = 1 << 20
)

func newCodec(level zstd.EncoderLevel) *codec {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(min(runtime.GOMAXPROCS(0), maxEncoders)),
		zstd.WithWindowSize(window), zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return &codec{e}
}

func (c *codec) encode(to, data []byte) []byte { return c.encoder.EncodeAll(data, to[:0]) }

// newFooter returns what the footers of a table's files have in common: the schema and the
// order of the columns. The library makes it, for a file without rows.
func (s *spec) newFooter() format.FileMetaData {
	var empty bytes.Buffer
	w := parquet.NewGenericWriter[any](&empty, s.schema, parquet.CreatedBy("mkt table", strconv.Itoa(Version), ""))
	err := w.Close()
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", s.name, err))
	}
	file, err := parquet.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", s.name, err))
	}
	return *file.Metadata()
}

// sortingColumns are the columns that the rows are sorted by.
func (s *spec) sortingColumns() (sorting []format.SortingColumn) {
	for _, name := range s.sorting {
		i := slices.IndexFunc(s.leaves, func(l leaf) bool { return l.name == name })
		sorting = append(sorting, format.SortingColumn{ColumnIdx: int32(i)})
	}
	return sorting
}
