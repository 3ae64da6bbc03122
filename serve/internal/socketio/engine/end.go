package engine

import (
	"errors"
	"time"

	"github.com/gobwas/ws"
)

// end closes an open session; mu is held. A websocket gets a close frame with this
// code behind what is being written. A polling client fetches what waits and then
// the end, with the GET that waits or the next one.
func (s *Session) end(reason string, code ws.StatusCode) {
	if s.state != open {
		return
	}
	s.leave(reason)
	switch {
	case s.ws != nil && s.slow && reason == Slow:
		s.queue.take()
		s.ws.cut()
	case s.ws != nil:
		s.queue.take()
		s.queue.push(entry{m: newClose(code)})
		s.pump()
		if s.slow { // it is written in its turn, but not for ever
			time.AfterFunc(closeGrace, s.ws.cut)
		}
	case s.poll != nil:
		s.answer([]entry{{m: closePacket}})
	default:
		s.state = ending
		s.queue.push(entry{m: noopPacket})
		s.queue.push(entry{m: closePacket})
		s.arm(s.server.o.PingTimeout)
		s.server.keepEnding(s)
	}
	if s.state == closed {
		s.server.forget(s)
	}
	go s.finish(reason)
}

// goodbye ends a session whose client said so. The GET that a client sent beside
// its POST may be behind it: it is worth a moment.
func (s *Session) goodbye() {
	s.mu.Lock()
	if s.state == open && s.ws == nil && s.poll == nil {
		came := make(chan struct{})
		s.leaving = came
		s.mu.Unlock()
		select {
		case <-came:
		case <-time.After(goodbyeDelay):
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if s.state != open {
		return
	}
	if s.ws != nil {
		s.end(Transport, ws.StatusNormalClosure)
		return
	}
	s.queue.take()
	s.leave(Transport)
	s.answer([]entry{{m: noopPacket}})
	s.server.forget(s)
	go s.finish(Transport)
}

// lose ends a session whose client is gone, or which may have lost something on
// the way: there is nobody to tell. mu is held.
func (s *Session) lose(reason string) {
	if s.state == closed {
		return
	}
	s.queue.take()
	if s.state == open {
		s.leave(reason)
		defer func() { go s.finish(reason) }()
	}
	s.state = closed
	s.answer([]entry{{m: closePacket}})
	if s.ws != nil {
		s.ws.cut()
	}
	s.server.forget(s)
}

// leave is what every end begins with; mu is held. It goes on to give back the
// session's place, and ends with finish.
func (s *Session) leave(reason string) {
	s.state = closed
	s.timer.Stop()
	s.forgetInbound()
	if s.probe != nil {
		s.probe.cut()
		s.probe = nil
	}
	if s.stopPost != nil {
		s.stopPost()
	}
	if s.whenClosed != nil {
		s.whenClosed()
		s.whenClosed = nil
	}
	s.checkDrained()
	s.server.count(reason)
}

// finish is the receiver's last call.
func (s *Session) finish(reason string) {
	defer s.server.live.Done()
	s.receiving.Lock()
	defer s.receiving.Unlock()
	defer s.recover()
	s.receiver.Closed(reason)
}

// lost is a websocket that ended with this error.
func (s *Session) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if code := closeCode(err); code != 0 {
		reason := Protocol
		if errors.Is(err, errFrames) {
			reason = Flood
		}
		s.end(reason, code)
		return
	}
	if s.state == open {
		s.lose(Transport)
	}
}

// violated ends a session whose receiver took offence. A polling client fetches
// what was said to it before.
func (s *Session) violated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(Protocol, ws.StatusProtocolError)
}

// broken ends a session whose client does not send packets. Nothing more is said.
func (s *Session) broken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ws != nil {
		s.end(Protocol, ws.StatusProtocolError)
		return
	}
	s.lose(Protocol)
}
