package socketio

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode"
)

// Types of packets, as they are written.
const (
	typeConnect      = '0'
	typeDisconnect   = '1'
	typeEvent        = '2'
	typeAck          = '3'
	typeConnectError = '4'
	typeBinaryEvent  = '5'
	typeBinaryAck    = '6'
)

// maxAttachments is the limit of a binary packet, as in the official parser.
const maxAttachments = 10

// maxAckID is the largest integer that a JavaScript number represents exactly.
const maxAckID = 1<<53 - 1

// packet is a valid packet from a client. It has no references to the parsed bytes.
type packet struct {
	kind        byte // one of the first five: binary types become event and ack
	attachments int  // number of binary messages after it
	namespace   string
	id          uint64
	hasID       bool
	auth        json.RawMessage   // of a connect: an object, or nil
	args        []json.RawMessage // of an event or ack
	name        string            // of an event
}

// errPacket is any violation of the protocol. The client is not told which one.
var errPacket = errors.New("not a Socket.IO packet")

func parse(b []byte) (packet, error) {
	if len(b) == 0 {
		return packet{}, errPacket
	}
	p := packet{kind: b[0], namespace: "/"}
	b = b[1:]
	var err error
	if p.kind == typeBinaryEvent || p.kind == typeBinaryAck {
		if p.attachments, b, err = parseAttachments(b); err != nil {
			return packet{}, err
		}
		p.kind -= typeBinaryEvent - typeEvent
	}
	if len(b) > 0 && b[0] == '/' {
		name, rest, _ := bytes.Cut(b, []byte{','})
		if bytes.IndexFunc(name, unicode.IsControl) >= 0 {
			return packet{}, errPacket // it is repeated in answers, where 0x1e would separate packets
		}
		p.namespace, b = string(name), rest
	}
	if p.id, p.hasID, b, err = parseID(b); err != nil {
		return packet{}, err
	}
	return p, p.setPayload(b)
}

func parseAttachments(b []byte) (int, []byte, error) {
	digits, rest, found := bytes.Cut(b, []byte{'-'})
	n, err := strconv.ParseUint(string(digits), 10, 8)
	if !found || err != nil || n < 1 || n > maxAttachments {
		return 0, nil, errPacket
	}
	return int(n), rest, nil
}

func parseID(b []byte) (id uint64, ok bool, rest []byte, err error) {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, false, b, nil
	}
	if id, err = strconv.ParseUint(string(b[:n]), 10, 53); err != nil {
		return 0, false, nil, errPacket
	}
	return id, true, b[n:], nil
}

func (p *packet) setPayload(b []byte) error {
	switch p.kind {
	case typeConnect:
		return p.setAuth(b)
	case typeDisconnect:
		if len(b) == 0 {
			return nil
		}
	case typeEvent:
		return p.setEvent(b)
	case typeAck:
		if p.hasID {
			return p.setArgs(b)
		}
	}
	return errPacket
}

func (p *packet) setAuth(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if first(b) != '{' || !json.Valid(b) {
		return errPacket
	}
	p.auth = bytes.Clone(b)
	return nil
}

func (p *packet) setArgs(b []byte) error {
	if first(b) != '[' || json.Unmarshal(b, &p.args) != nil {
		return errPacket
	}
	return nil
}

func (p *packet) setEvent(b []byte) error {
	if err := p.setArgs(b); err != nil {
		return err
	}
	if len(p.args) == 0 || !p.setName(p.args[0]) {
		return errPacket
	}
	p.args = p.args[1:]
	return nil
}

// reserved are names that the official libraries use internally.
var reserved = map[string]bool{
	"connect": true, "connect_error": true, "disconnect": true, "disconnecting": true,
	"newListener": true, "removeListener": true,
}

// setName accepts a string, or a number, which is used as it is written.
func (p *packet) setName(b json.RawMessage) bool {
	switch c := first(b); {
	case c == '"':
		return json.Unmarshal(b, &p.name) == nil && !reserved[p.name]
	case c == '-' || c >= '0' && c <= '9':
		p.name = string(b)
		return true
	}
	return false
}

// first returns the first byte that is not a space, or 0.
func first(b []byte) byte {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
