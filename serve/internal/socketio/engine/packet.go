package engine

import (
	"bytes"
	"encoding/base64"
	"errors"
	"unicode/utf8"
)

// Types of packets, as they are written. typeBinary is the form of a binary message in a
// polling body; on a websocket it is a frame without a type.
const (
	typeOpen    = '0'
	typeClose   = '1'
	typePing    = '2'
	typePong    = '3'
	typeMessage = '4'
	typeUpgrade = '5'
	typeNoop    = '6'
	typeBinary  = 'b'
)

// separator separates the packets of a polling body. JSON escapes it.
const separator = 0x1e

// packet is a packet from a client. data is a part of the buffer of its transport.
type packet struct {
	kind byte
	data []byte
}

var (
	errPacket = errors.New("not an Engine.IO packet")
	errUTF8   = errors.New("invalid utf-8")
	errBase64 = errors.New("invalid base64")
	errLarge  = errors.New("the packet is larger than the limit")
)

// readPacket reads a text packet. It does not check the encoding of the text.
func readPacket(b []byte) (packet, error) {
	if len(b) == 0 || b[0] < typeOpen || b[0] > typeNoop {
		return packet{}, errPacket
	}
	return packet{b[0], b[1:]}, nil
}

// readPayload reads a polling body: at least one packet, none larger than max bytes. If
// one is invalid, it returns none. Binary packets are decoded in place, so body must not
// be used afterwards.
func readPayload(body []byte, max int) ([]packet, error) {
	var list []packet
	for more := true; more; {
		var one []byte
		one, body, more = bytes.Cut(body, []byte{separator})
		if len(one) > max {
			return nil, errLarge
		}
		p, err := readPolled(one)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func readPolled(b []byte) (packet, error) {
	if len(b) > 0 && b[0] == typeBinary {
		// The padding may be missing, because decoders of other servers do not require it.
		text := bytes.TrimRight(b[1:], "=")
		n, err := base64.RawStdEncoding.Decode(text, text)
		if err != nil {
			return packet{}, errBase64
		}
		return packet{typeBinary, text[:n]}, nil
	}
	if !utf8.Valid(b) {
		return packet{}, errUTF8
	}
	return readPacket(b)
}
