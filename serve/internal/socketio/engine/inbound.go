package engine

import (
	"time"

	"github.com/gobwas/ws"
)

// inbound is what a client has sent and its receiver has not been given yet. A
// client may send a burst; behind that its messages wait for their turn, while
// whatever else it sends is still read: a client that floods is noticed when it
// answers pings, and when it is gone.
type inbound struct {
	list  []packet
	bytes int           // of their data
	busy  bool          // the messages are being given to the receiver, or wait for the timer
	timer *time.Timer   // until the turn of the next one; nil = it need not wait
	idle  chan struct{} // closed when nothing is being given to the receiver; nil = nobody asks
	pace  pace          // on the server's clock
}

// mostWaiting is how many messages may wait for their turn behind a burst.
const mostWaiting = 1000

// The same of a client that is not trusted.
const (
	strangersBurst   = 20
	strangersWaiting = 200
)

// Trust gives a session the bounds of a client that is known: until then it may
// send little. The protocol above calls it when it has let the client in.
func (s *Session) Trust() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trusted = true
}

// bounds are how many messages may come at once, how many may wait, and how many
// bytes: those of the messages that wait, and of a polling body. mu is held.
func (s *Session) bounds() (burst, messages, bytes int) {
	o := &s.server.o
	if s.trusted {
		return o.Burst, o.Burst + mostWaiting, o.MaxBacklog
	}
	return min(o.Burst, strangersBurst), strangersBurst + strangersWaiting, o.MaxPayload
}

// enqueue takes a message from the client, whose data it keeps. When too many wait
// already the session ends, and it is false. mine is true when the caller is to
// call handOver, because nobody else does.
func (s *Session) enqueue(p packet) (ok, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return true, false // who asks finds out
	}
	in := &s.in
	if _, messages, bytes := s.bounds(); len(in.list) >= messages || len(in.list) > 0 && in.bytes+len(p.data) > bytes {
		s.end(Flood, ws.StatusPolicyViolation)
		return false, false
	}
	in.list = append(in.list, p)
	in.bytes += len(p.data)
	mine = !in.busy
	in.busy = true
	return true, mine
}

// handOver gives the receiver what waits, one message after the other. It is false
// when one of them was a violation, which has ended the session.
func (s *Session) handOver() bool {
	for {
		s.receiving.Lock()
		p, more := s.nextInbound()
		ok := !more || s.call(p.data, p.kind == typeBinary)
		if !ok {
			s.violated()
		}
		s.receiving.Unlock()
		if !ok || !more {
			return ok
		}
	}
}

// nextInbound takes the next message whose turn has come. Without one, nothing is
// being given to the receiver any more.
func (s *Session) nextInbound() (p packet, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &s.in
	in.timer = nil
	if s.state == open && len(in.list) > 0 {
		wait := s.turn()
		if wait <= 0 {
			p = in.list[0]
			in.list[0] = packet{}
			if in.list = in.list[1:]; len(in.list) == 0 {
				in.list = nil
			}
			in.bytes -= len(p.data)
			return p, true
		}
		in.timer = time.AfterFunc(wait, func() { s.handOver() })
	}
	in.busy = in.timer != nil
	in.rest()
	return packet{}, false
}

// turn is how long the next message has to wait. When it need not wait, its turn is
// taken. mu is held.
func (s *Session) turn() time.Duration {
	burst, _, _ := s.bounds()
	return s.in.pace.take(s.server.elapsed(), s.server.o.Pace, burst)
}

// rest tells whoever waits that nothing is being given to the receiver.
func (in *inbound) rest() {
	if in.idle != nil {
		close(in.idle)
		in.idle = nil
	}
}

// forgetInbound drops what waits when the session ends; mu is held.
func (s *Session) forgetInbound() {
	if s.in.timer != nil {
		s.in.timer.Stop()
	}
	s.in.rest()
	s.in = inbound{}
}

// settle waits a moment until what came before the end of the session has been
// carried out. What has to wait for its turn is not waited for.
func (s *Session) settle() {
	s.mu.Lock()
	if s.state != open || !s.in.busy || s.in.timer != nil {
		s.mu.Unlock()
		return
	}
	if s.in.idle == nil {
		s.in.idle = make(chan struct{})
	}
	idle := s.in.idle
	s.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(goodbyeDelay):
	}
}
