package socketio

import (
	"net/http"
	"sync/atomic"

	"mkt/serve/internal/socketio/engine"
)

type socketState uint8

const (
	connecting socketState = iota
	joined
	dismissed // by us; messages the client sent before it knew are ignored
	gone
)

// Socket is one client in one namespace. Its methods are safe for concurrent use and never
// wait for the network, because packets are queued.
type Socket struct {
	// Data belongs to the handler, which sets it in Connect. Not synchronized.
	Data any

	connection  *connection
	handler     Handler
	namespace   string
	id          string
	attachments Attachments // of the event being handled

	state socketState // guarded by the connection's mutex, as is early
	early []early     // sent while connecting
}

// early is a packet sent during Connect, which follows the acceptance.
type early struct {
	key    string
	packet *Packet
}

const maxEarly = 64

// ID returns the public id, which is the client's socket.id and new at every Connect. It is
// not the secret id of the session.
func (s *Socket) ID() string { return s.id }

// Namespace returns the client's namespace.
func (s *Socket) Namespace() string { return s.namespace }

// Header returns a new copy of the headers of [Options.KeepHeaders] in the session's first
// request.
func (s *Socket) Header() http.Header { return s.connection.session.Header() }

// Send queues a packet. It returns false if the socket has ended, or ends now because too
// much is waiting ([ReasonSlow]). A packet of any size is accepted if nothing is waiting.
func (s *Socket) Send(p *Packet) (ok bool) { return s.Replace("", p) }

// Replace is like [Socket.Send], for packets that a newer one makes useless. It first removes
// a packet with the same key, unless a part of it has been written. The new packet goes to
// the end of the queue. Keys are shared by all namespaces of a connection.
func (s *Socket) Replace(key string, p *Packet) (ok bool) {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.state == joined:
		return c.session.Replace(key, p.message(s.namespace))
	case s.state == connecting && len(s.early) < maxEarly:
		s.early = append(s.early, early{key, p})
		return true
	}
	return false
}

// Queued returns the number of bytes waiting for the client in all namespaces of its
// connection. It is 0 once everything has been passed to the operating system or, when
// polling, to an answer. Each packet counts slightly more than its size.
func (s *Socket) Queued() int { return s.connection.session.Queued() }

// WhenDrained calls f once, in its own goroutine, as soon as nothing is waiting or the
// connection has closed, which may be immediately. Senders use it to send the next page
// only after the last one. It replaces an f from an earlier call that is still waiting.
func (s *Socket) WhenDrained(f func()) { s.connection.session.WhenDrained(f) }

// Attachments returns the binary messages of the current event, or nil. It must only be
// called in [Handler.Event]; the contents may be kept.
func (s *Socket) Attachments() Attachments { return s.attachments }

// Disconnect ends this namespace after the queued messages. [Handler.Disconnect] is called
// from another goroutine. The official client does not reconnect by itself. During Connect
// it does nothing: return an error there.
func (s *Socket) Disconnect() {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.unjoin(dismissed) {
		return
	}
	c.session.Send(newMessage(typeDisconnect, s.namespace, nil, nil, nil))
	c.resumeWaiting()
	c.session.Later(func() { s.handler.Disconnect(s, ReasonServer) })
}

// Drop closes the whole connection, with this reason for all its namespaces, and drops the
// queued messages. The official client reconnects by itself. Reasons are counted in Stats,
// so there must be few.
func (s *Socket) Drop(reason string) { s.connection.session.Close(reason) }

// unjoin removes a socket from its namespace. It returns false if the socket is not joined.
// The connection's mutex is held.
func (s *Socket) unjoin(to socketState) bool {
	if s.state != joined {
		return false
	}
	s.state = to
	c := s.connection
	c.server.sockets.Add(-1)
	c.joined--
	return true
}

func (s *Socket) dropEarly() {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	s.early, s.state = nil, gone
}

func (s *Socket) acknowledger(id uint64) func(...any) {
	var done atomic.Bool
	return func(args ...any) {
		if done.Swap(true) {
			return
		}
		payload, attachments, err := appendArray(nil, args)
		if err != nil {
			s.connection.server.o.Log.Error("cannot encode an acknowledgement", "err", err)
			payload, attachments = []byte("[]"), nil
		}
		s.send(newMessage(typeAck, s.namespace, &id, payload, attachments))
	}
}

// send sends a message, never before the acceptance.
func (s *Socket) send(m *engine.Message) {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.state == joined {
		c.session.Send(m)
	}
}
