package reader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/s2"

	"mkt/serve/internal/api"
)

// chunkRows is the maximum number of rendered rows in a compressed chunk: as many as a page
// has by default. Row number n is in chunk n/chunkRows. A chunk has the markets of one
// fixture only, so a first page is one chunk: most of a page's cost is the engine's, for
// each chunk it looks up. With more rows, a page would decompress rows that it does not show.
const chunkRows = api.DefaultLimit

// entry is one rendered row: the id it is sorted by, the values it is filtered by,
// and its JSON. The bytes are valid only until the chunk is released.
type entry struct {
	key      []byte // market id or fixture id
	market   []byte // canonical name; empty for RAW markets and fixtures
	period   []byte
	subjects []byte // of a market's selections, without consecutive repeats, each followed by subjectEnd
	ordinal  int
	body     []byte
	detail   []byte // fields that only a single fixture shows, not the list; empty for markets
}

// An uncompressed chunk is the texts of its entries; then of each entry the lengths of its texts
// and its ordinal; then the number of entries and how long the part before is, in four bytes
// each. It never leaves this process, so it has no version.

// maxChunk is the maximum size of an uncompressed chunk. An answer of a provider is far smaller.
const maxChunk = 256 << 20

const entryTexts = 6

func (e *entry) texts() [entryTexts]*[]byte {
	return [entryTexts]*[]byte{&e.key, &e.market, &e.period, &e.subjects, &e.body, &e.detail}
}

// chunk is a decompressed chunk. release returns its memory to the pool.
type chunk struct {
	entries []entry
	buf     []byte
}

var chunks = sync.Pool{New: func() any { return new(chunk) }}

func (c *chunk) release() { chunks.Put(c) }

var errChunk = errors.New("damaged chunk")

func decodeChunk(compressed []byte) (*chunk, error) {
	c := chunks.Get().(*chunk)
	size, err := s2.DecodedLen(compressed)
	if err == nil && size > maxChunk {
		return nil, errChunk
	}
	if err == nil {
		c.buf, err = s2.Decode(c.buf[:cap(c.buf)], compressed)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errChunk, err)
	}
	if !c.parse() {
		return nil, errChunk
	}
	return c, nil
}

// parse points the entries into the buffer. It returns false if the lengths do not
// fit.
func (c *chunk) parse() bool {
	c.entries = c.entries[:0]
	end := len(c.buf) - 2*4
	if end < 0 {
		return false
	}
	entries, size := binary.LittleEndian.Uint32(c.buf[end:]), binary.LittleEndian.Uint32(c.buf[end+4:])
	if entries > chunkRows || int64(size) > int64(end) {
		return false
	}
	texts, lengths, fits := c.buf[:end-int(size)], c.buf[end-int(size):end], true
	next := func(limit int) int {
		v, size := binary.Uvarint(lengths)
		if fits = fits && size > 0 && v <= uint64(limit); !fits {
			return 0
		}
		lengths = lengths[size:]
		return int(v)
	}
	for range entries {
		var e entry
		for _, text := range e.texts() {
			n := next(len(texts))
			*text, texts = texts[:n:n], texts[n:]
		}
		e.ordinal = next(math.MaxInt32)
		c.entries = append(c.entries, e)
	}
	return fits && len(lengths) == 0 && len(texts) == 0
}

// chunker makes chunks of chunkRows entries. For each entry its texts are appended to text, in the
// order of entry.texts; after each of them endText is called, and endEntry after the last one.
type chunker struct {
	append func(no int, compressed []byte) error
	text   []byte

	no         int
	rows       int
	from       int    // where the text begins that is being appended
	lengths    []byte // the second part of the chunk
	compressed []byte
}

// reset prepares a chunker for other chunks. It keeps its memory.
func (c *chunker) reset(append func(no int, compressed []byte) error) {
	*c = chunker{append: append, text: c.text[:0], lengths: c.lengths[:0], compressed: c.compressed}
}

func (c *chunker) endText() {
	c.lengths = binary.AppendUvarint(c.lengths, uint64(len(c.text)-c.from))
	c.from = len(c.text)
}

func (c *chunker) endEntry(ordinal int) error {
	c.lengths = binary.AppendUvarint(c.lengths, uint64(ordinal))
	if c.rows++; c.rows < chunkRows {
		return nil
	}
	return c.flush()
}

// flush ends the chunk. It is compressed as an S2 block: half again as large as at the fastest level
// of zstd, but in a third of the time, and decompressed in half of it.
func (c *chunker) flush() error {
	if c.rows == 0 {
		return nil
	}
	c.text = append(c.text, c.lengths...)
	c.text = binary.LittleEndian.AppendUint32(c.text, uint32(c.rows))
	c.text = binary.LittleEndian.AppendUint32(c.text, uint32(len(c.lengths)))
	if len(c.text) > maxChunk {
		return fmt.Errorf("%w: %d rows are rendered in %d bytes, more than %d", ErrInvalid, c.rows, len(c.text), maxChunk)
	}
	c.compressed = s2.Encode(c.compressed[:cap(c.compressed)], c.text)
	c.text, c.lengths, c.from, c.rows = c.text[:0], c.lengths[:0], 0, 0
	c.no++
	return c.append(c.no-1, c.compressed)
}
