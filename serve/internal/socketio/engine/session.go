package engine

import (
	"container/list"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/panics"
)

// state is how far a session has come.
type state uint8

const (
	open   state = iota
	ending       // a polling client has yet to fetch the end
	closed
)

// Session is one client. Its methods are safe for concurrent use and never wait
// for the network.
type Session struct {
	server   *Server
	id       string // a secret
	header   []headerLine
	peer     string
	receiver Receiver

	receiving sync.Mutex // held while the receiver is called; taken before mu

	mu         sync.Mutex
	state      state
	writing    bool // a writer has the websocket
	slow       bool // and waits for the client
	delivering bool // a GET's answer is being written
	posting    bool // a POST is being read or carried out
	calling    bool // the receiver is being called
	trusted    bool // the protocol above has let the client in
	probed     bool // the probing websocket has been answered
	beat       heartbeat
	ws         *wire         // nil while polling
	probe      *wire         // would like to take over
	poll       chan []entry  // the waiting GET; nil = none
	leaving    chan struct{} // closed when a GET comes that a close packet waits for
	in         inbound
	queue      queue
	flying     int // cost of what is being written
	timer      *time.Timer
	unfetched  *list.Element // its place among those whose end nobody has fetched; nil = none
	due        time.Duration // when the timer is to fire, on the server's clock
	stopPost   func()        // ends the reading of a POST's body; nil = none is read
	drained    func()
	whenClosed func()
}

// headerLine is one header that is kept.
type headerLine struct {
	name   string
	values []string
}

// Header makes a copy of the headers that are kept of the first request.
func (s *Session) Header() http.Header {
	h := make(http.Header, len(s.header))
	for _, l := range s.header {
		h[l.name] = slices.Clone(l.values)
	}
	return h
}

// Peer is whom the first request came from.
func (s *Session) Peer() string { return s.peer }

// Send queues a message. It is false when the session has ended, or ends now for
// too much is waiting. What finds nothing waiting is always taken.
func (s *Session) Send(m *Message) bool { return s.Replace("", m) }

// Replace is Send, but a message with the same key that waits is taken out first.
func (s *Session) Replace(key string, m *Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return false
	}
	if key != "" {
		s.queue.remove(key)
	}
	e := entry{m, key}
	if waiting := s.queue.bytes + s.flying; waiting > 0 && waiting+e.cost() > s.server.o.MaxQueued {
		s.queue.take()
		s.end(Slow, ws.StatusPolicyViolation)
		return false
	}
	s.queue.push(e)
	s.pump()
	return true
}

// Queued is the bytes that wait, with some overhead for each message.
func (s *Session) Queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return 0
	}
	return s.queue.bytes + s.flying
}

// WhenDrained calls f once, from its own goroutine, as soon as nothing waits or
// the session has ended. The next f takes the place of one that still waits.
func (s *Session) WhenDrained(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drained = f
	s.checkDrained()
}

// checkDrained tells whoever asked; mu is held.
func (s *Session) checkDrained() {
	if s.drained != nil && (s.state != open || s.queue.bytes == 0 && !s.writing) {
		go s.drained()
		s.drained = nil
	}
}

// WhenClosed calls f at once when the session ends, or has ended; f must not wait
// or call the session. nil takes it back.
func (s *Session) WhenClosed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open && f != nil {
		f()
		return
	}
	s.whenClosed = f
}

// Later calls f from a goroutine of its own, in turn with the receiver's calls.
func (s *Session) Later(f func()) {
	go func() {
		s.receiving.Lock()
		defer s.receiving.Unlock()
		defer s.recover()
		f()
	}()
}

// Close ends the session. What waits is forgotten.
func (s *Session) Close(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.queue.take()
		s.end(reason, ws.StatusNormalClosure)
	}
}

// Abort ends the session without a word to the client: it costs nothing any more.
func (s *Session) Abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose(reason)
}

// call hands a message to the receiver, unless the session has ended. It is false
// for a violation.
func (s *Session) call(data []byte, binary bool) bool {
	if !s.setCalling(true) {
		return true
	}
	defer s.setCalling(false)
	defer s.recover()
	return s.receiver.Message(data, binary) == nil
}

// setCalling tells the heartbeat that it is us that the client waits for. It is
// false when the session has ended.
func (s *Session) setCalling(on bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calling = on
	return s.state == open
}

// recover ends a session whose receiver panicked; all others go on.
func (s *Session) recover() {
	if p := recover(); p != nil {
		s.server.o.Log.Error("panic in a realtime handler", "panic", panics.Describe(p))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(Panic, ws.StatusInternalServerError)
	}
}

// pump moves what waits towards the client; mu is held.
func (s *Session) pump() {
	switch {
	case len(s.queue.list) == 0:
	case s.ws != nil && !s.writing:
		s.writing = true
		s.server.writers.submit(s)
	case s.poll != nil:
		s.answer(s.batch())
	}
}

// batch takes what a GET is answered with: all that waits, or the ping that goes in
// front of much; mu is held.
func (s *Session) batch() []entry {
	var list []entry
	switch {
	case s.pingFirst(s.queue.bytes):
		list = []entry{{m: s.ask()}}
	case s.queue.bytes >= largeMessage && s.queue.list[0].m == pingPacket:
		list = []entry{s.queue.pop()}
	default:
		list = s.queue.take()
	}
	for _, e := range list {
		s.sent(e.m)
	}
	return list
}

// answer ends the waiting GET, if there is one; mu is held.
func (s *Session) answer(list []entry) {
	if s.poll != nil {
		s.poll <- list
		s.poll = nil
		s.checkDrained()
	}
}

func (s *Session) isWebsocket() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ws != nil
}

func (s *Session) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == open
}
