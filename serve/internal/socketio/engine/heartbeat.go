package engine

import "time"

// heartbeat is what is known of the pings of a session, and of how far its client
// may be behind with reading. Times are on the server's clock.
//
// A client that reads slowly sees a ping late, since in front of it lies what the
// operating systems of both ends hold, and it is not seen from here when a client
// takes something of that. So a client has the time that reading at leastRate takes
// before a write that does not get on, or a pong that does not come, ends its
// session.
type heartbeat struct {
	pongDue  bool
	extended bool          // the wait for the pong, by another packet
	asked    time.Duration // when the first ping that is unanswered was due
	heard    time.Duration // when the wait was extended
	pinged   time.Duration // when the last ping was due
	until    time.Duration // when everything that was sent has been read, at leastRate
	readBy   time.Duration // the same of all in front of the first ping that is unanswered; 0 = that one has not been sent
	since    time.Duration // how long reading takes what was sent behind that ping
	large    bool          // a large message was sent behind the last ping
}

const (
	// leastRate is how many bytes a second a client must read.
	leastRate = 8 << 10

	// mostBehind bounds the time that a client has for that, in write timeouts, and
	// mostAsking the whole wait for a pong, in ping timeouts.
	mostBehind = 3
	mostAsking = 12

	// A large message goes behind a ping, one lately (in parts of a ping interval) and
	// with no other large message in between: a client must not miss pings for as long
	// as it takes to read several of them.
	largeMessage = 32 << 10
	lately       = 2
)

// arm sets the session's one timer; mu is held.
func (s *Session) arm(d time.Duration) { s.armAt(s.server.elapsed() + d) }

func (s *Session) armAt(due time.Duration) {
	s.due = due
	s.timer.Reset(due - s.server.elapsed())
}

// ask notes that a ping is due; mu is held. The caller sends it.
func (s *Session) ask() *Message {
	h, now := &s.beat, s.server.elapsed()
	h.pinged, h.large = now, false
	if !h.pongDue {
		h.pongDue, h.extended = true, false
		h.asked, h.heard, h.readBy = now, 0, 0
		s.arm(s.server.o.PingTimeout)
	}
	return pingPacket
}

// sent notes that a message is handed over to be written; mu is held.
func (s *Session) sent(m *Message) {
	h, now := &s.beat, s.server.elapsed()
	takes := time.Duration(len(m.frames)) * time.Second / leastRate
	h.until = min(max(h.until, now)+takes, now+mostBehind*s.server.o.WriteTimeout)
	h.since += takes
	h.large = h.large || len(m.frames) >= largeMessage
	if m == pingPacket && h.pongDue && h.readBy == 0 {
		h.readBy, h.since = h.until, 0
	}
}

// patience is how long a write may go without getting on.
func (s *Session) patience() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server.o.WriteTimeout + max(0, s.beat.until-s.server.elapsed())
}

// pingFirst reports whether a ping has to go in front of so many bytes; mu is held.
func (s *Session) pingFirst(bytes int) bool {
	h := &s.beat
	return bytes >= largeMessage && s.state == open && (h.large || s.server.elapsed()-h.pinged >= s.server.o.PingInterval/lately)
}

// deadline is when the pong that is due has to be there; mu is held.
func (s *Session) deadline() time.Duration {
	h, o := &s.beat, &s.server.o
	from := max(h.asked, h.heard, h.readBy)
	if h.readBy == 0 {
		from = max(from, h.until) // it waits for a client that is busy reading
	}
	if s.slow || s.delivering {
		from = s.server.elapsed() // a write waits: it has a timeout of its own
	}
	return min(from+o.PingTimeout, h.asked+mostAsking*o.PingTimeout)
}

// overdue is a pong that did not come in time, whether the timer has noticed or
// not; mu is held.
func (s *Session) overdue() bool {
	return s.state == open && s.beat.pongDue && !s.calling && s.server.elapsed() >= s.deadline()
}

// tick is the timer's: a ping is due, or a pong, or the end was never fetched.
func (s *Session) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == closed || s.server.elapsed() < s.due:
		// A call that was on its way when the timer was set anew.
	case s.state == ending:
		s.lose("")
	case !s.beat.pongDue:
		s.queue.pushFront(entry{m: s.ask()})
		s.pump()
	case s.overdue() && !s.posting:
		s.lose(Ping)
	case s.calling || s.posting:
		s.arm(s.server.o.PingTimeout) // the pong may wait behind what we are busy with
	default:
		s.armAt(s.deadline())
	}
}

// alive takes note of a packet. A pong starts the next interval; anything else
// extends the wait for a pong once, for a client that is busy sending.
func (s *Session) alive(kind byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, now := &s.beat, s.server.elapsed()
	switch {
	case s.state != open || !h.pongDue:
	case kind == typePong:
		h.pongDue = false
		h.until = min(h.until, now+h.since) // it has read all that was in front of the ping
		s.arm(s.server.o.PingInterval)
	case !h.extended:
		h.extended, h.heard = true, now
	}
}
