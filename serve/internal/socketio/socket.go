package socketio

import "net/http"

// Socket is one client in one namespace. Its methods are safe for concurrent use
// and never wait for the network: what is sent is queued and written by others.
type Socket struct {
	// Data is the owner's: set it in Connect. Not guarded.
	Data any
}

// ID is public and the client's socket.id, new at every Connect. It is not the
// secret of the session.
func (s *Socket) ID() string { return "" }

// Namespace is the one joined.
func (s *Socket) Namespace() string { return "" }

// Header holds those of Options.KeepHeaders that the session's first request had.
// Not to be changed.
func (s *Socket) Header() http.Header { return nil }

// RemoteAddr is the address and port that the first request came from.
func (s *Socket) RemoteAddr() string { return "" }

// Send queues a packet. It is false when the socket has ended, or ends now since
// too much is waiting (ReasonSlow). A packet that finds nothing waiting is always
// taken, however large.
func (s *Socket) Send(p *Packet) (ok bool) { return false }

// Replace is Send for what is worth nothing once there is something newer: a
// packet with the same key that nothing was written of yet is taken out first.
// The new one goes to the end of the queue.
func (s *Socket) Replace(key string, p *Packet) (ok bool) { return false }

// Queued is the bytes that wait for the client, over all namespaces of its
// connection; 0 once everything has been handed to the operating system (or, when
// polling, to an answer).
func (s *Socket) Queued() int { return 0 }

// WhenDrained calls f once, from a goroutine of its own, as soon as nothing is
// waiting any more or the connection has closed: at once where that is so already.
// It is for senders that pace themselves: the next page only after the last one.
// A second f before the first was called takes its place.
func (s *Socket) WhenDrained(f func()) {}

// Attachments are the binary messages of the event being handled, nil if it had
// none. Only within Handler.Event; the contents may be kept.
func (s *Socket) Attachments() Attachments { return nil }

// Disconnect ends this namespace behind what is queued. The official client does
// not reconnect by itself.
func (s *Socket) Disconnect() {}

// Drop closes the whole connection, all its namespaces with this reason, and
// forgets what is queued. The official client reconnects by itself.
func (s *Socket) Drop(reason string) {}
