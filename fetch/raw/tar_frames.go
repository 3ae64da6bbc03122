package raw

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/football"
)

// tarBlock is the unit of a tar archive: headers have one, bodies are filled up to whole ones.
const tarBlock = 512

// longestFrame bounds the length of a frame: incompressible data grows a little.
const longestFrame = MaxBody + MaxBody/8 + 4096

// tarHeader is the header of a file in a cycle's answers and in a compacted file. It has
// nothing of the time or the machine.
func tarHeader(name string, size int) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o644, Size: int64(size), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
}

// padded is how many bytes a body with its header has in a tar archive.
func padded(size int64) int64 { return tarBlock + (size+tarBlock-1)/tarBlock*tarBlock }

// frame has the buffers in which a frame is made.
type frame struct {
	plain  bytes.Buffer
	packed []byte
}

var frames = sync.Pool{New: func() any { return new(frame) }}

// release keeps the buffers for the next frame, unless they are those of an unusually
// large one.
func (f *frame) release() {
	if cap(f.packed)+f.plain.Cap() <= 2<<20 {
		frames.Put(f)
	}
}

// pack returns the frame of a body, made with an encoder, which is valid until the buffers are
// released.
func (f *frame) pack(name string, body []byte, encoder *zstd.Encoder) []byte {
	f.plain.Reset()
	f.plain.Grow(int(padded(int64(len(body)))))
	out := tar.NewWriter(&f.plain)
	err := out.WriteHeader(tarHeader(name, len(body)))
	if err == nil {
		_, err = out.Write(body)
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		panic(err) // the name is short, and the buffer takes everything
	}
	f.packed = encoder.EncodeAll(f.plain.Bytes(), f.packed[:0])
	return f.packed
}

// endOfAnswers is the last frame: the end of a tar archive, 1024 zeros. It is a part of the
// format, so it must not depend on the compressor.
const endOfAnswers = "\x28\xb5\x2f\xfd\x60\x00\x03\x03\x20\x00\x00"

// mostKept is up to which size answers.tar.zst is read only once.
const mostKept = 1 << 20

// answers reads the bodies of one answers.tar.zst.
type answers struct {
	fsys durable.ReadFS
	name string
	size int64 // of all frames but the last
	kept func() ([]byte, error)
}

// newAnswers returns an error unless the frames follow each other without a gap.
func newAnswers(fsys durable.ReadFS, name string, responses []Response) (*answers, error) {
	all := make([]Frame, len(responses))
	for i, r := range responses {
		all[i] = *r.Frame
	}
	slices.SortFunc(all, func(a, b Frame) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	a := &answers{fsys: fsys, name: name}
	for _, f := range all {
		if f.Offset != a.size {
			return nil, fmt.Errorf("a frame at %d, want one at %d", f.Offset, a.size)
		}
		a.size += f.Length
	}
	if a.size <= mostKept {
		a.kept = sync.OnceValues(func() ([]byte, error) { return a.part(new(Buffer), Frame{0, a.size}) })
	}
	return a, nil
}

// body reads a body, and checks everything around it that the body's hash does not cover.
func (a *answers) body(b *Buffer, r Response) ([]byte, error) {
	if r.Frame == nil || r.Frame.Offset+r.Frame.Length > a.size {
		return nil, fmt.Errorf("response %d is not in %s", r.Number, a.name)
	}
	packed, err := a.frame(b, *r.Frame)
	if err != nil {
		return nil, damaged(err)
	}
	if size := int(padded(r.Bytes)); cap(b.plain) < size {
		b.plain = make([]byte, 0, size)
	}
	plain, err := decoder().DecodeAll(packed, b.plain[:0:padded(r.Bytes)])
	if err != nil {
		return nil, fmt.Errorf("%w: %s: response %d: %w", ErrCorrupt, a.name, r.Number, err)
	}
	if int64(len(plain)) == padded(r.Bytes) {
		end := tarBlock + r.Bytes
		if isHeader(plain[:tarBlock], r) && len(bytes.TrimLeft(plain[end:], "\x00")) == 0 {
			return plain[tarBlock:end:end], nil
		}
	}
	return nil, fmt.Errorf("%w: %s: response %d: the frame is that of something else", ErrCorrupt, a.name, r.Number)
}

// isHeader reports whether a block is the tar header of a body. The header has a checksum of
// its own.
func isHeader(block []byte, r Response) bool {
	h, err := tar.NewReader(bytes.NewReader(block)).Next()
	return err == nil && h.Typeflag == tar.TypeReg && h.Name == r.File && h.Size == r.Bytes
}

// frame returns the bytes of a frame.
func (a *answers) frame(b *Buffer, f Frame) ([]byte, error) {
	if a.kept == nil {
		return a.part(b, f)
	}
	all, err := a.kept()
	if err != nil {
		return nil, err
	}
	return all[f.Offset : f.Offset+f.Length], nil
}

// part reads a part of the file, which must end where the frames end.
func (a *answers) part(b *Buffer, f Frame) ([]byte, error) {
	file, err := a.fsys.Open(a.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if want := a.size + int64(len(endOfAnswers)); file.Size() != want {
		return nil, fmt.Errorf("%w: %s has %d bytes, want %d", ErrCorrupt, a.name, file.Size(), want)
	}
	b.packed = slices.Grow(b.packed[:0], int(f.Length))
	data, end := b.packed[:f.Length], make([]byte, len(endOfAnswers))
	for _, read := range []struct {
		into []byte
		at   int64
	}{{data, f.Offset}, {end, a.size}} {
		if n, err := file.ReadAt(read.into, read.at); n < len(read.into) {
			return nil, fmt.Errorf("read %s: %w", a.name, err)
		}
	}
	if string(end) != endOfAnswers {
		return nil, fmt.Errorf("%w: %s does not end as it was written", ErrCorrupt, a.name)
	}
	return data, nil
}

// The encoders are shared: EncodeAll is safe for concurrent use. The fastest level compresses
// answers as well as the default one, in two thirds of the time. The better one saves a seventh
// of them in twice the time, which pays for large answers of a market cycle: they are kept for a
// week or more, and requested once an hour. Those of a live cycle are compacted within the hour.
var (
	fast     = newEncoder(zstd.SpeedFastest, 2)
	thorough = newEncoder(zstd.SpeedBetterCompression, 1) // it has 5 MB of tables
)

// large is from how many bytes an answer is compressed thoroughly.
const large = 128 << 10

func newEncoder(level zstd.EncoderLevel, concurrency int) func() *zstd.Encoder {
	return sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(concurrency), zstd.WithEncoderLevel(level), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
}

// encoderFor returns the encoder for an answer of a product's cycle, by its size in the archive.
func encoderFor(product football.Product, size int64) *zstd.Encoder {
	if size >= large && product != football.LiveIntelligence {
		return thorough()
	}
	return fast()
}

// Buffer is memory in which one answer after the other is read. Its zero value is ready for use.
type Buffer struct{ packed, plain []byte }

// decoder is shared: DecodeAll is safe for concurrent use. It checks the frame's own checksum
// as well, although fetch.json has a stronger hash, because zstd and tar refuse a file in which one is
// wrong. It writes no more than the capacity of the caller's slice.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(uint64(padded(MaxBody))))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})
