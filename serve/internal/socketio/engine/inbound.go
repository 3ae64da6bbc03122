package engine

import (
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/deadline"
)

// inbound is the queue of a client's messages for its receiver. A client may send a burst;
// further messages wait for their turn. All other packets are still read, so that its pongs
// and its disconnection are noticed.
type inbound struct {
	list  []packet
	bytes int           // of their data
	busy  bool          // messages are being handed to the receiver, or wait for the timer
	timer *time.Timer   // until the turn of the next message; nil = it need not wait
	idle  chan struct{} // closed when no message is being handed to the receiver; nil = nobody waits
	pace  pace          // on deadline.Elapsed
}

// maxWaiting limits the messages waiting for their turn, beyond a burst.
const maxWaiting = 1000

const (
	untrustedBurst   = 20
	untrustedWaiting = 200
)

// Trust raises the bounds of a session to those of a known client. The protocol above
// calls it when it has accepted the client.
func (s *Session) Trust() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trusted = true
}

// bounds returns how many messages may be sent at once, how many may wait, and how many
// bytes of them may wait or be in a polling body. mu is held.
func (s *Session) bounds() (burst, messages, bytes int) {
	o := &s.server.o
	if s.trusted {
		return o.Burst, o.Burst + maxWaiting, o.MaxBacklog
	}
	return min(o.Burst, untrustedBurst), untrustedBurst + untrustedWaiting, o.MaxPayload
}

// enqueue queues a message from the client and keeps its data. If too many are waiting, it
// ends the session and ok is false. If mine is true, the caller must call handOver.
func (s *Session) enqueue(p packet) (ok, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return true, false // the caller will notice
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

// handOver passes the queued messages to the receiver, one after the other. It returns
// false if one of them was a violation, which has ended the session.
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

// nextInbound removes and returns the next message whose turn has come. If there is none,
// the queue is no longer busy, unless the timer runs.
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
	in.signalIdle()
	return packet{}, false
}

// turn returns how long the next message must wait. If it need not wait, its turn is used
// up. mu is held.
func (s *Session) turn() time.Duration {
	burst, _, _ := s.bounds()
	return s.in.pace.take(deadline.Elapsed(), s.server.o.Pace, time.Duration(burst)*s.server.o.Pace)
}

func (in *inbound) signalIdle() {
	if in.idle != nil {
		close(in.idle)
		in.idle = nil
	}
}

// forgetInbound drops the queued messages when the session ends; mu is held.
func (s *Session) forgetInbound() {
	if s.in.timer != nil {
		s.in.timer.Stop()
	}
	s.in.signalIdle()
	s.in = inbound{}
}

// awaitReceiver waits for a moment until the messages before the end of the session are
// handled. It does not wait for messages whose turn has not come.
func (s *Session) awaitReceiver() {
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
	case <-time.After(closeDelay):
	}
}

// pace limits how often something may happen: a burst, and then once in an interval. Its
// zero value is ready to use.
type pace struct {
	ahead time.Duration // by how much the past events exceed the rate
	last  time.Duration // when the last one was allowed, on a clock of the caller
}

// take returns how long the next event must wait. If it need not wait, it is counted: it uses
// up some time, of which burst is available at once.
func (p *pace) take(now, uses, burst time.Duration) time.Duration {
	ahead := max(0, p.ahead-(now-p.last)) + uses
	if wait := ahead - burst; wait > 0 {
		return wait
	}
	p.ahead, p.last = ahead, now
	return 0
}
