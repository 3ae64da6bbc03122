package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"sync"

	"github.com/gobwas/ws"
)

// Message is the unit of sending to a client: a text message, binary ones, or a text
// directly followed by binary ones. It is encoded once for both transports and may be sent
// to any number of sessions. Immutable.
type Message struct {
	frames   []byte // for a websocket
	polled   []byte // for a polling body; for a text without attachments a part of frames
	last     bool   // nothing may follow, because it is a websocket's close frame
	onlyText bool   // a text without attachments, made by NewMessage
	deflated struct {
		once   sync.Once
		frames []byte // of deflatedFrames
	}
}

// NewMessage returns a message of a text, followed by binary messages. All are copied.
func NewMessage(text []byte, attached ...[]byte) *Message {
	size := ws.MaxHeaderSize + 1 + len(text)
	for _, a := range attached {
		size += ws.MaxHeaderSize + len(a)
	}
	m := newPacket(typeMessage, text, size)
	if len(attached) == 0 {
		m.onlyText = true
		return m
	}
	m.polled = append([]byte(nil), m.polled...)
	for _, a := range attached {
		m.frames = appendFrame(m.frames, ws.OpBinary, len(a))
		m.frames = append(m.frames, a...)
		m.polled = append(m.polled, separator)
		m.polled = appendPolled(m.polled, a)
	}
	return m
}

// NewBinary returns a message of binary data, which is copied.
func NewBinary(data []byte) *Message {
	frames := appendFrame(make([]byte, 0, ws.MaxHeaderSize+len(data)), ws.OpBinary, len(data))
	return &Message{frames: append(frames, data...), polled: appendPolled(nil, data)}
}

// Text returns the text of a message, which must not be modified.
func (m *Message) Text() []byte {
	end := len(m.polled)
	if i := bytes.IndexByte(m.polled, separator); i >= 0 {
		end = i
	}
	return m.polled[1:end]
}

// Size returns the number of bytes on a websocket without compression.
func (m *Message) Size() int { return len(m.frames) }

// newPacket returns a text packet, with capacity for size bytes of frames.
func newPacket(kind byte, data []byte, size int) *Message {
	b := make([]byte, 0, max(size, ws.MaxHeaderSize+1+len(data)))
	b = appendFrame(b, ws.OpText, 1+len(data))
	head := len(b)
	b = append(append(b, kind), data...)
	return &Message{frames: b, polled: b[head:len(b):len(b)]}
}

// newControl returns a control frame of a websocket. It has no form for polling.
func newControl(op ws.OpCode, body []byte) *Message {
	return &Message{frames: append(appendFrame(nil, op, len(body)), body...), last: op == ws.OpClose}
}

// newClose returns a close frame. The reason is for people, and one of those of Receiver.Closed.
func newClose(code ws.StatusCode, reason string) *Message {
	if reason == Transport { // the client knows: it has closed
		reason = ""
	}
	return newControl(ws.OpClose, ws.NewCloseFrameBody(code, reason))
}

// appendFrame appends the header of an unfragmented frame from the server.
func appendFrame(b []byte, op ws.OpCode, n int) []byte {
	b = append(b, 0x80|byte(op))
	switch {
	case n < 126:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
}

func appendPolled(b, data []byte) []byte {
	return base64.StdEncoding.AppendEncode(append(b, typeBinary), data)
}

var (
	pingPacket  = newPacket(typePing, nil, 0)
	noopPacket  = newPacket(typeNoop, nil, 0)
	closePacket = newPacket(typeClose, nil, 0)
	probePacket = newPacket(typePong, []byte("probe"), 0)
)
