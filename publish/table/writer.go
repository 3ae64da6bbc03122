package table

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
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
	groupRows = 16 << 10 // rows of a row group; a multiple of batchRows
	batchRows = 64       // rows handed to the library at once: pages end only between batches
	pageBytes = 64 << 10 // before encoding
)

// Writer writes the rows of one table in order. Its memory is bounded by one row
// group. It does not sync: see package durable. A Writer is not safe for concurrent
// use.
type Writer[T Row] struct {
	spec    *spec
	out     *parquet.GenericWriter[T]
	tally   *tally
	shred   shredder[T]
	last    key
	pending []T
}

// NewWriter returns a Writer of a new table. Close must be called after the last row.
func NewWriter[T Row](w io.Writer, h Header) *Writer[T] {
	s := specOf[T]()
	return &Writer[T]{
		spec:  s,
		out:   parquet.NewGenericWriter[T](w, s.options(h)...),
		tally: newTally(s),
		shred: shredderOf[T](s),
	}
}

func (s *spec) options(h Header) []parquet.WriterOption {
	options := []parquet.WriterOption{
		s.schema,
		parquet.Compression(compression),
		parquet.DataPageVersion(1), // the second version leaves levels uncompressed: three times the size
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.PageBufferSize(pageBytes),
		parquet.CreatedBy("mkt table", strconv.Itoa(Version), ""),
	}
	var sorting []parquet.SortingColumn
	for _, name := range s.sorting {
		sorting = append(sorting, parquet.Ascending(name))
	}
	options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(sorting...)))
	for _, l := range s.leaves {
		if s.stats != nil && !s.stats[l.name] {
			options = append(options, parquet.SkipPageBounds(l.path...), parquet.SkipPageStatistics(l.path...))
		}
	}
	for name, value := range s.metadata(h) {
		options = append(options, parquet.KeyValueMetadata(name, value))
	}
	return options
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

// Write adds rows, which must follow the earlier rows in the table's order. Neither
// the rows nor what they point to may change before Close.
func (w *Writer[T]) Write(rows ...T) error {
	for i := range rows {
		if err := w.inOrder(keyOf(&rows[i])); err != nil {
			return err
		}
	}
	var summed sync.WaitGroup
	summed.Go(func() { w.sum(rows) })
	err := w.batch(rows)
	summed.Wait()
	return err
}

// sum counts and hashes rows while the library encodes them, which takes four times
// as long. It does not change them.
func (w *Writer[T]) sum(rows []T) {
	for i := range rows {
		w.shred(w.tally, &rows[i])
	}
	w.tally.rows += int64(len(rows))
}

// batch passes rows to the library in portions that do not depend on the calls of Write.
func (w *Writer[T]) batch(rows []T) error {
	if len(w.pending) > 0 {
		n := min(batchRows-len(w.pending), len(rows))
		w.pending = append(w.pending, rows[:n]...)
		rows = rows[n:]
		if len(w.pending) == batchRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	whole := len(rows) / batchRows * batchRows
	if whole > 0 {
		if _, err := w.out.Write(rows[:whole]); err != nil {
			return err
		}
	}
	w.pending = append(w.pending, rows[whole:]...)
	return nil
}

func (w *Writer[T]) flush() error {
	if len(w.pending) == 0 {
		return nil
	}
	_, err := w.out.Write(w.pending)
	clear(w.pending)
	w.pending = w.pending[:0]
	return err
}

// Close writes the remaining rows and the footer, and returns the summary. It does
// not close the underlying writer.
func (w *Writer[T]) Close() (Summary, error) {
	if err := w.flush(); err != nil {
		return Summary{}, err
	}
	if err := w.out.Close(); err != nil {
		return Summary{}, err
	}
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

// codec is zstd at its fastest level, with entropy coding even of what does not
// repeat: opaque ids, which are most of a file, shrink by a third.
type codec struct {
	parquetzstd.Codec
	encoders sync.Pool // costly to make
}

var compression = &codec{encoders: sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return e
}}}

func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	e := c.encoders.Get().(*zstd.Encoder)
	defer c.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
