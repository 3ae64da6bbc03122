package engine

import "time"

// arm sets the session's one timer; mu is held.
func (s *Session) arm(d time.Duration) { s.armAt(s.server.elapsed() + d) }

func (s *Session) armAt(due time.Duration) {
	s.due = due
	s.timer.Reset(due - s.server.elapsed())
}

// overdue is a pong that did not come in time, whether the timer has noticed or
// not; mu is held.
func (s *Session) overdue() bool {
	return s.state == open && s.pongDue && !s.calling && s.server.elapsed() >= s.due
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
	case !s.pongDue:
		s.pongDue, s.extended = true, false
		s.queue.pushFront(entry{m: pingPacket})
		s.armAt(s.due + s.server.o.PingTimeout) // a timer that was late takes nothing from the end
		s.pump()
	case s.calling:
		s.arm(s.server.o.PingTimeout) // the pong may wait behind what we are busy with
	default:
		s.lose(Ping)
	}
}

// alive takes note of a packet. A pong starts the next interval; anything else
// extends the wait for a pong once, for a client that is busy sending.
func (s *Session) alive(kind byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state != open || !s.pongDue:
	case kind == typePong:
		s.pongDue = false
		s.arm(s.server.o.PingInterval)
	case !s.extended:
		s.extended = true
		s.arm(s.server.o.PingTimeout)
	}
}
