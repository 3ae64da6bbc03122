package socketio

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"mkt/serve/internal/socketio/engine"
)

// Packet is an event for clients. It is encoded once and shared by all its receivers.
// Immutable; safe for concurrent use.
type Packet struct {
	payload     []byte // the array of name and arguments
	attachments Attachments
	main        *engine.Message // for the main namespace
}

// NewPacket encodes an event. A json.RawMessage argument is used unchanged and must be
// valid. The error comes from encoding/json.
func NewPacket(event string, args ...any) (*Packet, error) {
	payload, attachments, err := appendArray(nil, append([]any{event}, args...))
	if err != nil {
		return nil, err
	}
	return newPacket(payload, attachments), nil
}

// NewRawPacket returns an event with one argument, which must be valid JSON and is copied.
func NewRawPacket(event string, arg json.RawMessage) *Packet {
	payload, _, err := appendArray(make([]byte, 0, len(event)+len(arg)+8), []any{event, arg})
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return newPacket(payload, nil)
}

// newPacket returns a packet and takes ownership of payload.
func newPacket(payload []byte, attachments Attachments) *Packet {
	main := newMessage(typeEvent, "/", nil, payload, attachments)
	// The payload is the end of the text, so it need not be stored twice.
	text := main.Text()
	return &Packet{text[len(text)-len(payload):], attachments, main}
}

// Size returns the number of bytes on the wire.
func (p *Packet) Size() int { return p.main.Size() }

func (p *Packet) message(namespace string) *engine.Message {
	if namespace == "/" {
		return p.main
	}
	return newMessage(typeEvent, namespace, nil, p.payload, p.attachments)
}

// newMessage encodes a packet. id may be nil, and payload may be empty.
func newMessage(kind byte, namespace string, id *uint64, payload []byte, attachments Attachments) *engine.Message {
	b := make([]byte, 0, len(namespace)+len(payload)+32)
	if len(attachments) > 0 {
		b = append(b, kind+typeBinaryEvent-typeEvent)
		b = append(strconv.AppendInt(b, int64(len(attachments)), 10), '-')
	} else {
		b = append(b, kind)
	}
	if namespace != "/" {
		b = append(append(b, namespace...), ',')
	}
	if id != nil {
		b = strconv.AppendUint(b, *id, 10)
	}
	return engine.NewMessage(append(b, payload...), attachments...)
}

var errAttachments = errors.New("attachments of more than one argument, or too many")

// appendArray appends a JSON array of the arguments, except Attachments, which it returns.
func appendArray(b []byte, args []any) ([]byte, Attachments, error) {
	var attachments Attachments
	b = append(b, '[')
	for _, a := range args {
		if list, ok := a.(Attachments); ok {
			if attachments != nil || len(list) > maxAttachments {
				return nil, nil, errAttachments
			}
			attachments = list
			continue
		}
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		var err error
		if b, err = appendJSON(b, a); err != nil {
			return nil, nil, err
		}
	}
	return append(b, ']'), attachments, nil
}

// appendJSON does not escape <, > and &, because nothing here is HTML.
func appendJSON(b []byte, v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok && len(raw) > 0 {
		return append(b, raw...), nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), nil
}
