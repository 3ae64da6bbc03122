package engine

import (
	"time"

	"mkt/internal/deadline"
)

// heartbeat is the state of the pings of a session, and of how far its client may be
// behind with reading. Times are those of [deadline.Elapsed].
//
// A slow reader sees a ping late: first it has to read the buffers of both operating
// systems, which the server cannot observe. So the session is ended only if a write makes no
// progress, or a pong is missing, for longer than reading the data at minRate takes.
type heartbeat struct {
	pongDue    bool
	extended   bool          // the wait for the pong was extended by another packet
	firstPing  time.Duration // when the first unanswered ping was due
	extendedAt time.Duration // when the wait was extended
	lastPing   time.Duration // when the last ping was due
	readAllBy  time.Duration // when the client has read everything, at minRate
	readPingBy time.Duration // when it has read everything before the first unanswered ping; 0 = that ping has not been sent
	afterPing  time.Duration // time to read the data sent after that ping
	large      bool          // a large message was sent after the last ping
}

const (
	// minRate is the minimum rate in bytes per second at which a client must read.
	minRate = 8 << 10

	// maxBehind limits a client's time for reading, in write timeouts, and maxAsking the whole
	// wait for a pong, in ping timeouts.
	maxBehind = 3
	maxAsking = 12

	// A large message must follow a recent ping (at most 1/lately of a ping interval ago)
	// without another large message in between. Otherwise a client would miss pings while it
	// reads several of them.
	largeMessage = 32 << 10
	lately       = 2
)

// setTimer sets the only timer of the session; mu is held.
func (s *Session) setTimer(d time.Duration) { s.setTimerAt(deadline.Elapsed() + d) }

func (s *Session) setTimerAt(due time.Duration) {
	s.due = due
	s.timer.Reset(due - deadline.Elapsed())
}

// duePing records that a ping is due and returns it for sending; mu is held.
func (s *Session) duePing() *Message {
	h, now := &s.beat, deadline.Elapsed()
	h.lastPing, h.large = now, false
	if !h.pongDue {
		h.pongDue, h.extended = true, false
		h.firstPing, h.extendedAt, h.readPingBy = now, 0, 0
		s.setTimer(s.server.o.PingTimeout)
	}
	return pingPacket
}

// sent records that a message is handed to the writer; mu is held.
func (s *Session) sent(m *Message) {
	h, now := &s.beat, deadline.Elapsed()
	takes := time.Duration(len(m.frames)) * time.Second / minRate
	h.readAllBy = min(max(h.readAllBy, now)+takes, now+maxBehind*s.server.o.WriteTimeout)
	h.afterPing += takes
	h.large = h.large || len(m.frames) >= largeMessage
	if m == pingPacket && h.pongDue && h.readPingBy == 0 {
		h.readPingBy, h.afterPing = h.readAllBy, 0
	}
}

func (s *Session) writeTimeout() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server.o.WriteTimeout + max(0, s.beat.readAllBy-deadline.Elapsed())
}

// pingFirst reports whether a ping must be sent before so many bytes; mu is held.
func (s *Session) pingFirst(bytes int) bool {
	h := &s.beat
	return bytes >= largeMessage && s.state == open && (h.large || deadline.Elapsed()-h.lastPing >= s.server.o.PingInterval/lately)
}

// deadline returns when the missing pong must have arrived; mu is held.
func (s *Session) deadline() time.Duration {
	h, o := &s.beat, &s.server.o
	from := max(h.firstPing, h.extendedAt, h.readPingBy)
	if h.readPingBy == 0 {
		from = max(from, h.readAllBy) // the ping waits until the client has read the rest
	}
	if s.slow || s.delivering {
		from = deadline.Elapsed() // a write is waiting, which has its own timeout
	}
	return min(from+o.PingTimeout, h.firstPing+maxAsking*o.PingTimeout)
}

// overdue reports whether a pong did not arrive in time, even if the timer has not fired
// yet; mu is held.
func (s *Session) overdue() bool {
	return s.state == open && s.beat.pongDue && !s.calling && deadline.Elapsed() >= s.deadline()
}

// tick is called by the timer: a ping is due, or a pong, or the client did not fetch the
// end.
func (s *Session) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == closed || deadline.Elapsed() < s.due:
		// The timer was reset after this call had started.
	case s.state == ending:
		s.abort("")
	case !s.beat.pongDue:
		s.queue.pushFront(entry{m: s.duePing()})
		s.pump()
	case s.overdue() && !s.posting:
		s.abort(Ping)
	case s.calling || s.posting:
		s.setTimer(s.server.o.PingTimeout) // the pong may wait behind the current packet
	default:
		s.setTimerAt(s.deadline())
	}
}

// alive records the arrival of a packet. A pong starts the next interval. Another packet
// extends the wait for the pong once, because the client may be busy sending.
func (s *Session) alive(kind byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, now := &s.beat, deadline.Elapsed()
	switch {
	case s.state != open || !h.pongDue:
	case kind == typePong:
		h.pongDue = false
		h.readAllBy = min(h.readAllBy, now+h.afterPing) // it has read everything before the ping
		s.setTimer(s.server.o.PingInterval)
	case !h.extended:
		h.extended, h.extendedAt = true, now
	}
}
