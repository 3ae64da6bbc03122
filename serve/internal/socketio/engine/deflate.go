package engine

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/klauspost/compress/flate"
)

// Messages of a websocket are compressed as in RFC 7692 if the client offers it, without
// context takeover in either direction: so a connection keeps no window, and a message is
// compressed once for all its receivers.

// negotiate returns a callback for [ws.HTTPUpgrader.Negotiate], which accepts the first offer
// that the server can honour, and then sets accepted.
func negotiate(accepted *bool) func(httphead.Option) (httphead.Option, error) {
	return func(offer httphead.Option) (declined httphead.Option, _ error) {
		var p wsflate.Parameters
		if *accepted || string(offer.Name) != wsflate.ExtensionName || p.Parse(offer) != nil {
			return declined, nil
		}
		if p.ServerMaxWindowBits.Defined() && p.ServerMaxWindowBits.Bytes() < wsflate.MaxLZ77WindowSize {
			return declined, nil
		}
		*accepted = true
		return wsflate.Parameters{ServerNoContextTakeover: true, ClientNoContextTakeover: true, ServerMaxWindowBits: p.ServerMaxWindowBits}.Option(), nil
	}
}

const (
	// deflateFrom is the size from which a text is compressed.
	deflateFrom  = 1 << 10
	deflateLevel = 5

	// compressedBit is RSV1, in the first byte of a frame.
	compressedBit = 0x40

	// flushed is the end of the output of a flush, which a compressed message leaves out.
	flushed = "\x00\x00\xff\xff"
	// lastBlock is an empty block which ends a stream.
	lastBlock = "\x01\x00\x00\xff\xff"
)

type deflater struct {
	out bytes.Buffer
	w   *flate.Writer
}

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, deflateLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &deflater{w: w}
}}

// deflatedFrames is like frames, for a client whose offer was accepted. Only texts are
// compressed, and only if that makes them smaller.
func (m *Message) deflatedFrames() []byte {
	if !m.onlyText || len(m.polled) < deflateFrom {
		return m.frames
	}
	m.deflated.once.Do(func() {
		m.deflated.frames = deflate(m.polled)
		if len(m.deflated.frames) >= len(m.frames) {
			m.deflated.frames = m.frames
		}
	})
	return m.deflated.frames
}

func deflate(text []byte) []byte {
	d := deflaters.Get().(*deflater)
	defer deflaters.Put(d)
	d.out.Reset()
	d.w.Reset(&d.out)
	d.w.Write(text) // writing to a buffer never fails
	d.w.Flush()
	data := bytes.TrimSuffix(d.out.Bytes(), []byte(flushed))
	b := appendFrame(make([]byte, 0, ws.MaxHeaderSize+len(data)), ws.OpText, len(data))
	b[0] |= compressedBit
	return append(b, data...)
}

type inflater struct {
	in bytes.Reader
	r  io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{r: flate.NewReader(nil)} }}

var errInflate = violation{ws.StatusInvalidFramePayloadData, errors.New("the message cannot be decompressed")}

// inflate decompresses a message of at most limit bytes. It reads no further.
func inflate(data []byte, limit int) ([]byte, error) {
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	z.in.Reset(append(data, flushed+lastBlock...))
	defer z.in.Reset(nil)
	z.r.(flate.Resetter).Reset(&z.in, nil)
	text, err := io.ReadAll(io.LimitReader(z.r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, errInflate
	case len(text) > limit:
		return nil, errTooLarge
	}
	return text, nil
}
