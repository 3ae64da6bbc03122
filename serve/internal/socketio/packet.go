package socketio

import "encoding/json"

// Packet is one event for clients, encoded once and shared by every connection
// that it is sent to. Immutable; safe for concurrent use.
type Packet struct{}

// Attachments are binary messages beside a packet's JSON. Given among the
// arguments of NewPacket or of an ack, they are no argument: the others refer to
// the attachment i by {"_placeholder":true,"num":i}. At most 10.
type Attachments [][]byte

// NewPacket encodes an event. A json.RawMessage argument is taken as it is. The
// error is that of encoding/json.
func NewPacket(event string, args ...any) (*Packet, error) { return nil, nil }

// NewRawPacket makes an event of one argument that is JSON already. arg must be
// valid and is copied.
func NewRawPacket(event string, arg json.RawMessage) *Packet { return nil }

// Size is the packet's bytes on the wire.
func (p *Packet) Size() int { return 0 }
