package engine

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// wire is a websocket's connection, read frame by frame. While nothing comes it
// holds no buffer but the few bytes in here, which take a heartbeat's whole frame.
type wire struct {
	conn     net.Conn
	max      int           // bytes of a message
	patience time.Duration // for the next message
	early    []byte        // what came behind the HTTP request
	buf      [24]byte
	from     uint8 // buf[from:to] is unread
	to       uint8
	closing  atomic.Bool // our close frame is out

	began time.Time
	other pace // of the frames that are no messages, since began

	partial   []byte // of a message in fragments
	partialOp ws.OpCode
	fragments bool // more are to come
}

// closeGrace is how long a client may take to answer our close frame.
const closeGrace = time.Second

// violation is an error for which a websocket is closed with a code.
type violation struct {
	code ws.StatusCode
	error
}

// Unwrap lets errors.Is see the cause.
func (v violation) Unwrap() error { return v.error }

var (
	errFrames   = violation{ws.StatusPolicyViolation, errors.New("too many frames that are no messages")}
	errTooLarge = violation{ws.StatusMessageTooBig, errors.New("message above the limit")}
	errText     = violation{ws.StatusInvalidFramePayloadData, errUTF8}
)

// What a client may send beside whole messages: control frames, fragments, and the
// packets of a heartbeat.
const (
	otherBurst = 1000
	otherEvery = 10 * time.Millisecond
)

// countOther counts a frame that is no message. The error is errFrames.
func (c *wire) countOther() error {
	if c.other.take(time.Since(c.began), otherEvery, otherBurst) > 0 {
		return errFrames
	}
	return nil
}

// closeCode is what to close with for an error; 0 when there is no one to tell.
func closeCode(err error) ws.StatusCode {
	if v, ok := errors.AsType[violation](err); ok {
		return v.code
	}
	return 0
}

// next reads a whole message or a control frame. The data is valid until the next
// call. The error is a violation, or that of the connection.
func (c *wire) next() (ws.OpCode, []byte, error) {
	for {
		h, data, err := c.frame()
		if err != nil {
			return 0, nil, err
		}
		if h.OpCode.IsControl() || !h.Fin {
			if err := c.countOther(); err != nil {
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

// unread tells that something has come already.
func (c *wire) unread() bool { return c.from < c.to || len(c.early) > 0 }

// expect gives the client time for what it sends next, unless our close frame is out:
// finish has set the end then.
func (c *wire) expect() {
	if c.closing.Load() {
		return
	}
	c.conn.SetReadDeadline(time.Now().Add(c.patience))
	if c.closing.Load() { // meanwhile
		c.conn.SetReadDeadline(time.Now().Add(closeGrace))
	}
}

// fill waits for bytes from the client.
func (c *wire) fill() error {
	n, err := c.conn.Read(c.buf[:])
	c.from, c.to = 0, uint8(n)
	if n > 0 {
		return nil
	}
	return err
}

// Read implements io.Reader over what was read early and the connection.
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

// frame reads a frame and checks what can be checked of one.
func (c *wire) frame() (ws.Header, []byte, error) {
	var room [ws.MaxHeaderSize]byte
	h, err := c.header(room[:])
	if err != nil {
		return h, nil, err
	}
	state := ws.StateServerSide
	if c.fragments {
		state = state.Set(ws.StateFragmented)
	}
	if err := ws.CheckHeader(h, state); err != nil {
		return h, nil, violation{ws.StatusProtocolError, err}
	}
	if h.Length+int64(len(c.partial)) > int64(c.max) && !h.OpCode.IsControl() {
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

// header reads a frame's header into room.
func (c *wire) header(room []byte) (ws.Header, error) {
	h, err := ws.ReadHeaderBuffer(c, room)
	if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
		return h, violation{ws.StatusProtocolError, err}
	}
	return h, err
}

// inPlace is a payload that is in buf already, as a heartbeat's is; else nil.
func (c *wire) inPlace(n int) []byte {
	if len(c.early) > 0 || n > int(c.to-c.from) {
		return nil
	}
	data := c.buf[c.from : int(c.from)+n : int(c.from)+n]
	c.from += uint8(n)
	return data
}

// assemble keeps a fragment; it is true when the message is whole.
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

// message is the message that the frame was the end of.
func (c *wire) message(h ws.Header, data []byte) (ws.OpCode, []byte, error) {
	op := h.OpCode
	if op == ws.OpContinuation {
		op, data = c.partialOp, c.partial
		c.partial = nil
	}
	if op == ws.OpText && !utf8.Valid(data) {
		return op, nil, errText
	}
	return op, data, nil
}

// pong is the answer to a control ping.
func pong(data []byte) *Message { return newControl(ws.OpPong, data) }

// farewell answers a close frame.
func farewell(data []byte) ws.StatusCode {
	if len(data) == 0 {
		return ws.StatusNormalClosure
	}
	code, reason := ws.ParseCloseFrameData(data)
	if code.Empty() || ws.CheckCloseFrameData(code, reason) != nil {
		return ws.StatusProtocolError
	}
	return code
}
