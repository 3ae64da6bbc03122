package engine

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"mkt/internal/deadline"
)

// wire is a websocket's connection, read frame by frame. While it is idle, it uses only the
// small buffer below, which is large enough for the frame of a heartbeat.
type wire struct {
	conn     net.Conn
	session  *Session
	early    []byte // bytes that followed the HTTP request
	buf      [24]byte
	from     uint8 // buf[from:to] is unread
	to       uint8
	closing  atomic.Bool // our close frame has been sent
	deflates bool        // the client's offer of compression was accepted
	watched  bool        // fd is set, and idlers know it; guarded by their lock
	fd       int32       // for idlers

	other pace // of the frames that are not messages, and of compressed messages

	partial    []byte // of a fragmented message
	partialOp  ws.OpCode
	fragments  bool // more fragments follow
	compressed bool // the message of the last data frame is
}

// closeGrace is how long a client has to answer our close frame.
const closeGrace = time.Second

type violation struct {
	code ws.StatusCode
	error
}

func (v violation) Unwrap() error { return v.error }

var (
	errFrames   = violation{ws.StatusPolicyViolation, errors.New("too many frames that are not messages, or too much to decompress")}
	errTooLarge = violation{ws.StatusMessageTooBig, errors.New("the message is larger than the limit")}
	errText     = violation{ws.StatusInvalidFramePayloadData, errUTF8}
)

// Limits of everything a client may send besides complete messages: control frames,
// fragments, and heartbeat packets. A compressed message counts as up to largestInflated of
// them, by its length, because its bytes can take a hundred times as long to read as others.
const (
	otherBurst      = 1000
	otherEvery      = 10 * time.Millisecond
	largestInflated = 256
)

func (c *wire) countOther(n int) error {
	if c.other.take(deadline.Elapsed(), time.Duration(n)*otherEvery, otherBurst*otherEvery) > 0 {
		return errFrames
	}
	return nil
}

// closeCode returns the code to close with for an error, or 0 if the connection is gone.
func closeCode(err error) ws.StatusCode {
	if v, ok := errors.AsType[violation](err); ok {
		return v.code
	}
	return 0
}

// next reads a complete message or a control frame. The data is valid until the next call.
// The error is a violation, or that of the connection.
func (c *wire) next() (ws.OpCode, []byte, error) {
	for {
		h, data, err := c.frame()
		if err != nil {
			return 0, nil, err
		}
		if h.OpCode.IsControl() || !h.Fin {
			if err := c.countOther(1); err != nil {
				return 0, nil, err
			}
		}
		if h.OpCode.IsControl() {
			return h.OpCode, data, nil
		}
		if whole := c.assemble(h, data); whole {
			return c.message(h, data)
		}
	}
}

func (c *wire) unread() bool { return c.from < c.to || len(c.early) > 0 }

// expect sets the deadline for the next read, unless our close frame has been sent: finish
// has set the deadline then.
func (c *wire) expect() {
	if c.closing.Load() {
		return
	}
	deadline.Read(c.conn, c.session.server.maxSilence())
	if c.closing.Load() { // meanwhile
		deadline.Read(c.conn, closeGrace)
	}
}

func (c *wire) fill() error {
	n, err := c.conn.Read(c.buf[:])
	c.from, c.to = 0, uint8(n)
	if n > 0 {
		return nil
	}
	return err
}

// Read implements io.Reader over the early bytes and the connection.
func (c *wire) Read(p []byte) (int, error) {
	switch {
	case len(c.early) > 0:
		n := copy(p, c.early)
		c.early = c.early[n:]
		if len(c.early) == 0 {
			c.early = nil
		}
		return n, nil
	case c.from < c.to:
		n := copy(p, c.buf[c.from:c.to])
		c.from += uint8(n)
		return n, nil
	case len(p) >= len(c.buf):
		return c.conn.Read(p)
	}
	if err := c.fill(); err != nil {
		return 0, err
	}
	return c.Read(p)
}

func (c *wire) frame() (ws.Header, []byte, error) {
	var buf [ws.MaxHeaderSize]byte
	h, err := c.header(buf[:])
	if err != nil {
		return h, nil, err
	}
	state := ws.StateServerSide
	if c.fragments {
		state = state.Set(ws.StateFragmented)
	}
	if c.deflates {
		if h, err = c.unsetBit(h); err != nil {
			return h, nil, violation{ws.StatusProtocolError, err}
		}
	}
	if err := ws.CheckHeader(h, state); err != nil {
		return h, nil, violation{ws.StatusProtocolError, err}
	}
	if h.Length+int64(len(c.partial)) > int64(c.session.server.o.MaxPayload) && !h.OpCode.IsControl() {
		return h, nil, errTooLarge
	}
	data := c.inPlace(int(h.Length))
	if data == nil {
		data = make([]byte, h.Length)
		if _, err := io.ReadFull(c, data); err != nil {
			return h, nil, err
		}
	}
	ws.Cipher(data, h.Mask, 0)
	return h, data, nil
}

func (c *wire) header(buf []byte) (ws.Header, error) {
	h, err := ws.ReadHeaderBuffer(c, buf)
	if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
		return h, violation{ws.StatusProtocolError, err}
	}
	return h, err
}

// unsetBit removes the bit of a compressed message from the header of its first frame.
func (c *wire) unsetBit(h ws.Header) (ws.Header, error) {
	h, set, err := wsflate.UnsetBit(h)
	if h.OpCode.IsData() && h.OpCode != ws.OpContinuation {
		c.compressed = set
	}
	return h, err
}

// inPlace returns a payload that lies completely in buf, as a heartbeat's does, else nil.
func (c *wire) inPlace(n int) []byte {
	if len(c.early) > 0 || n > int(c.to-c.from) {
		return nil
	}
	data := c.buf[c.from : int(c.from)+n : int(c.from)+n]
	c.from += uint8(n)
	return data
}

func (c *wire) assemble(h ws.Header, data []byte) bool {
	if h.Fin && !c.fragments {
		return true
	}
	if !c.fragments {
		c.partialOp = h.OpCode
	}
	c.partial = append(c.partial, data...)
	c.fragments = !h.Fin
	return h.Fin
}

func (c *wire) message(h ws.Header, data []byte) (ws.OpCode, []byte, error) {
	op := h.OpCode
	if op == ws.OpContinuation {
		op, data = c.partialOp, c.partial
		c.partial = nil
	}
	if c.compressed {
		limit := c.session.server.o.MaxPayload
		if err := c.countOther(len(data) * largestInflated / limit); err != nil {
			return op, nil, err
		}
		var err error
		if data, err = inflate(data, limit); err != nil {
			return op, nil, err
		}
	}
	if op == ws.OpText && !utf8.Valid(data) {
		return op, nil, errText
	}
	return op, data, nil
}

func pong(data []byte) *Message { return newControl(ws.OpPong, data) }

func closeReply(data []byte) ws.StatusCode {
	if len(data) == 0 {
		return ws.StatusNormalClosure
	}
	code, reason := ws.ParseCloseFrameData(data)
	if code.Empty() || ws.CheckCloseFrameData(code, reason) != nil {
		return ws.StatusProtocolError
	}
	return code
}
