package table

import (
	"sync"

	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/klauspost/compress/zstd"
)

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
