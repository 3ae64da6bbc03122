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

type state uint8

const (
	open   state = iota
	ending       // the client has not fetched the end yet
	closed
)

// Session is one client. Its methods are safe for concurrent use and never wait for the
// network.
type Session struct {
	server   *Server
	id       string // a secret
	header   []headerLine
	peer     string
	receiver Receiver

	receiving sync.Mutex // held while the receiver is called; taken before mu

	mu           sync.Mutex
	state        state
	writing      bool // a writer uses the websocket
	slow         bool // and it waits for the client
	delivering   bool // the answer to a GET is being written
	posting      bool // a POST is being read or handled
	calling      bool // the receiver is being called
	trusted      bool // the protocol above has accepted the client
	probed       bool // the probing websocket has been answered
	beat         heartbeat
	ws           *wire         // nil while polling
	probe        *wire         // the websocket that is to take over
	poll         chan []entry  // the waiting GET; nil = none
	pollArrived  chan struct{} // closed when the GET arrives that a close packet waits for
	in           inbound
	queue        queue
	beingWritten int // cost of the messages being written
	timer        *time.Timer
	unfetched    *list.Element // its element of endings; nil = none
	due          time.Duration // when the timer fires, on deadline.Elapsed
	stopPost     func()        // ends the reading of a POST's body; nil = none is being read
	drained      func()
	whenClosed   func()
}

type headerLine struct {
	name   string
	values []string
}

// Header returns a copy of the kept headers of the first request.
func (s *Session) Header() http.Header {
	h := make(http.Header, len(s.header))
	for _, l := range s.header {
		h[l.name] = slices.Clone(l.values)
	}
	return h
}

// Peer returns the client that sent the first request.
func (s *Session) Peer() string { return s.peer }

// Send queues a message. It returns false if the session has ended, or ends now because
// too much is waiting. A message is always accepted if nothing is waiting.
func (s *Session) Send(m *Message) bool { return s.Replace("", m) }

// Replace is like Send, but first removes a waiting message with the same key.
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
	if waiting := s.queue.bytes + s.beingWritten; waiting > 0 && waiting+e.cost() > s.server.o.MaxQueued {
		s.queue.take()
		s.end(Slow, ws.StatusPolicyViolation)
		return false
	}
	s.queue.push(e)
	s.pump()
	return true
}

// Queued returns the number of waiting bytes, with some overhead for each message.
func (s *Session) Queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return 0
	}
	return s.queue.bytes + s.beingWritten
}

// WhenDrained calls f once, in its own goroutine, as soon as nothing is waiting or the
// session has ended. It replaces an f that has not been called yet.
func (s *Session) WhenDrained(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drained = f
	s.checkDrained()
}

// checkDrained calls drained if nothing is waiting; mu is held.
func (s *Session) checkDrained() {
	if s.drained != nil && (s.state != open || s.queue.bytes == 0 && !s.writing) {
		go s.drained()
		s.drained = nil
	}
}

// WhenClosed calls f when the session ends, or immediately if it has ended; f must not wait
// or call the session. If f is nil, the previous one is removed.
func (s *Session) WhenClosed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open && f != nil {
		f()
		return
	}
	s.whenClosed = f
}

// Later calls f in its own goroutine, but never at the same time as the receiver.
func (s *Session) Later(f func()) {
	go func() {
		s.receiving.Lock()
		defer s.receiving.Unlock()
		defer s.recover()
		f()
	}()
}

// Close ends the session. Waiting messages are dropped.
func (s *Session) Close(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.queue.take()
		s.end(reason, ws.StatusNormalClosure)
	}
}

// Abort ends the session without telling the client.
func (s *Session) Abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort(reason)
}

// call passes a message to the receiver. It returns false for a violation.
func (s *Session) call(data []byte, binary bool) bool {
	if !s.setCalling(true) {
		return true
	}
	defer s.setCalling(false)
	defer s.recover()
	return s.receiver.Message(data, binary) == nil
}

// setCalling records for the heartbeat that the client waits for the server. It returns
// false if the session has ended.
func (s *Session) setCalling(on bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calling = on
	return s.state == open
}

// recover ends a session whose receiver panicked; other sessions continue.
func (s *Session) recover() {
	if p := recover(); p != nil {
		s.server.o.Log.Error("panic in a realtime handler", "panic", panics.Describe(p))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(Panic, ws.StatusInternalServerError)
	}
}

// pump starts to send the queue; mu is held.
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

// batch returns the messages for the answer to a GET: the whole queue, or only a ping if it
// must be sent before a large message; mu is held.
func (s *Session) batch() []entry {
	var list []entry
	switch {
	case s.pingFirst(s.queue.bytes):
		list = []entry{{m: s.duePing()}}
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

// answer answers the waiting GET, if there is one; mu is held.
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
