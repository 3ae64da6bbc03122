package parquetfile

import (
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// fastest is zstd at its fastest level, with entropy coding even of data without repeats: opaque
// ids, which are most of a file, shrink by a third. thorough searches longer for repeats. This
// pays if the values are indexes of a dictionary.
var (
	fastest  = newCodec(zstd.SpeedFastest)
	thorough = newCodec(zstd.SpeedDefault)
)

type codec struct {
	encoder *zstd.Encoder // safe for concurrent use
}

// An encoder keeps its tables and a window of memory. For each level, at most maxEncoders pages
// are compressed at the same time. No page is larger than the window, except for some
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

// decoder never allocates more than the capacity of its target.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return d
})
