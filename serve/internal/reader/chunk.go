package reader

import (
	"bytes"
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
// fixture only, so that a first page is one chunk: what a page costs is mostly what the
// engine needs for each chunk that it looks up. With more rows a page would decompress
// rows that it does not show.
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

// An uncompressed chunk is the number of entries, then the lengths of each entry's
// texts and its ordinal, then the texts. It never leaves this process, so it has no
// version.

// maxChunk is the maximum size of an uncompressed chunk. An answer of a provider is far smaller.
const maxChunk = 256 << 20

// chunkEncoder has the buffers of encode, which are used again.
type chunkEncoder struct{ plain, compressed []byte }

// encode compresses entries as an S2 block: half again as large as at the fastest level of zstd,
// but in a third of the time, and decompressed in half of it.
func (c *chunkEncoder) encode(entries []entry) ([]byte, error) {
	b := binary.AppendUvarint(c.plain[:0], uint64(len(entries)))
	for i := range entries {
		e := &entries[i]
		for _, text := range e.texts() {
			b = binary.AppendUvarint(b, uint64(len(*text)))
		}
		b = binary.AppendUvarint(b, uint64(e.ordinal))
	}
	for i := range entries {
		for _, text := range entries[i].texts() {
			b = append(b, *text...)
		}
	}
	c.plain = b
	if len(b) > maxChunk {
		return nil, fmt.Errorf("%w: %d markets are rendered in %d bytes, more than %d", ErrInvalid, len(entries), len(b), maxChunk)
	}
	c.compressed = s2.Encode(c.compressed[:cap(c.compressed)], b)
	return bytes.Clone(c.compressed), nil
}

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
	b, fits := c.buf, true
	next := func(limit int) int {
		v, size := binary.Uvarint(b)
		if fits = fits && size > 0 && v <= uint64(limit); !fits {
			return 0
		}
		b = b[size:]
		return int(v)
	}
	c.entries = c.entries[:0]
	var lengths [chunkRows][entryTexts]int
	for i := range next(chunkRows) {
		for j := range lengths[i] {
			lengths[i][j] = next(len(c.buf))
		}
		c.entries = append(c.entries, entry{ordinal: next(math.MaxInt32)})
	}
	for i := range c.entries {
		for j, text := range c.entries[i].texts() {
			n := lengths[i][j]
			if n > len(b) {
				return false
			}
			*text, b = b[:n:n], b[n:]
		}
	}
	return fits && len(b) == 0
}

// chunker encodes entries, chunkRows at a time. text is a buffer for the bodies of the
// entries and is reused for every chunk.
type chunker struct {
	append  func(no int, compressed []byte) error
	no      int
	entries []entry
	text    []byte
	encoder chunkEncoder
}

func (c *chunker) add(e entry) error {
	c.entries = append(c.entries, e)
	if len(c.entries) < chunkRows {
		return nil
	}
	return c.flush()
}

func (c *chunker) flush() error {
	if len(c.entries) == 0 {
		return nil
	}
	compressed, err := c.encoder.encode(c.entries)
	if err != nil {
		return err
	}
	c.entries, c.text = c.entries[:0], c.text[:0]
	c.no++
	return c.append(c.no-1, compressed)
}
