package socketio

import (
	"net/http"
	"sync/atomic"

	"mkt/serve/internal/socketio/engine"
)

// standing is how a socket stands to its namespace.
type standing uint8

const (
	connecting standing = iota
	joined
	dismissed // by us; what the client sent before it heard of it is ignored
	gone
)

// Socket is one client in one namespace. Its methods are safe for concurrent use
// and never wait for the network: what is sent is queued and written by others.
type Socket struct {
	// Data is the owner's: set it in Connect. Not guarded.
	Data any

	connection  *connection
	handler     Handler
	namespace   string
	id          string
	attachments Attachments // of the event being handled

	standing standing // guarded by the connection's mutex, as is early
	early    []early  // sent while connecting
}

// early is a packet sent within Connect, behind whose acceptance it goes.
type early struct {
	key    string
	packet *Packet
}

// mostEarly bounds what a handler may send within Connect.
const mostEarly = 64

// ID is public and the client's socket.id, new at every Connect. It is not the
// secret of the session.
func (s *Socket) ID() string { return s.id }

// Namespace is the one joined.
func (s *Socket) Namespace() string { return s.namespace }

// Header is a copy of those of Options.KeepHeaders that the session's first request
// had. It is made for each call.
func (s *Socket) Header() http.Header { return s.connection.session.Header() }

// Send queues a packet. It is false when the socket has ended, or ends now since
// too much is waiting (ReasonSlow). A packet that finds nothing waiting is always
// taken, however large.
func (s *Socket) Send(p *Packet) (ok bool) { return s.Replace("", p) }

// Replace is Send for what is worth nothing once there is something newer: a
// packet with the same key that nothing was written of yet is taken out first.
// The new one goes to the end of the queue. Keys are the connection's, not the
// namespace's.
func (s *Socket) Replace(key string, p *Packet) (ok bool) {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.standing == joined:
		return c.session.Replace(key, p.message(s.namespace))
	case s.standing == connecting && len(s.early) < mostEarly:
		s.early = append(s.early, early{key, p})
		return true
	}
	return false
}

// Queued is the bytes that wait for the client, over all namespaces of its
// connection; 0 once everything has been handed to the operating system (or, when
// polling, to an answer). Each packet counts a little more than its size.
func (s *Socket) Queued() int { return s.connection.session.Queued() }

// WhenDrained calls f once, from a goroutine of its own, as soon as nothing is
// waiting any more or the connection has closed: at once where that is so already.
// It is for senders that pace themselves: the next page only after the last one.
// A second f before the first was called takes its place.
func (s *Socket) WhenDrained(f func()) { s.connection.session.WhenDrained(f) }

// Attachments are the binary messages of the event being handled, nil if it had
// none. Only within Handler.Event; the contents may be kept.
func (s *Socket) Attachments() Attachments { return s.attachments }

// Disconnect ends this namespace behind what is queued; Handler.Disconnect follows
// from another goroutine. The official client does not reconnect by itself. Within
// Connect it does nothing: return an error there.
func (s *Socket) Disconnect() {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.part(dismissed) {
		return
	}
	c.session.Send(newMessage(typeDisconnect, s.namespace, nil, nil, nil))
	c.waitAgain()
	c.session.Later(func() { s.handler.Disconnect(s, ReasonServer) })
}

// Drop closes the whole connection, all its namespaces with this reason, and
// forgets what is queued. The official client reconnects by itself. Reasons are
// counted in Stats: take them from a small set.
func (s *Socket) Drop(reason string) { s.connection.session.Close(reason) }

// part takes a socket out of its namespace; false when it is out already. The
// connection's mutex is held.
func (s *Socket) part(to standing) bool {
	if s.standing != joined {
		return false
	}
	s.standing = to
	c := s.connection
	c.server.sockets.Add(-1)
	c.joined--
	return true
}

func (s *Socket) forgetEarly() {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	s.early, s.standing = nil, gone
}

// acknowledger answers one event, once.
func (s *Socket) acknowledger(id uint64) func(...any) {
	var done atomic.Bool
	return func(args ...any) {
		if done.Swap(true) {
			return
		}
		payload, attachments, err := appendArray(nil, args)
		if err != nil {
			s.connection.server.o.Log.Error("encode an acknowledgement", "err", err)
			payload, attachments = []byte("[]"), nil
		}
		s.send(newMessage(typeAck, s.namespace, &id, payload, attachments))
	}
}

// send is for what has no place before the acceptance.
func (s *Socket) send(m *engine.Message) {
	c := s.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.standing == joined {
		c.session.Send(m)
	}
}
