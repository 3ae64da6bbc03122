package engine

import (
	"errors"
	"time"

	"github.com/gobwas/ws"
)

// end closes an open session; mu is held. A websocket gets a close frame with this code and reason
// after the current message. A polling client first receives the queued
// messages and then the end, with the waiting GET or the next one.
func (s *Session) end(reason string, code ws.StatusCode) {
	if s.state != open {
		return
	}
	s.stop(reason)
	switch {
	case s.ws != nil && s.slow && reason == Slow:
		s.queue.take()
		s.ws.closeNow()
	case s.ws != nil:
		s.queue.take()
		s.queue.push(entry{m: newClose(code, reason)})
		s.pump()
		if s.slow { // the close frame is written in its turn, but not for longer than closeGrace
			time.AfterFunc(closeGrace, s.ws.closeNow)
		}
	case s.poll != nil:
		s.answer([]entry{{m: closePacket}})
	default:
		s.state = ending
		s.queue.push(entry{m: noopPacket})
		s.queue.push(entry{m: closePacket})
		s.setTimer(s.server.o.PingTimeout)
		s.server.keepEnding(s)
	}
	if s.state == closed {
		s.server.forget(s)
	}
	go s.finish(reason)
}

// endByClient ends a session because its client said so. It waits for a moment for a GET,
// which may arrive later than a POST sent together with it.
func (s *Session) endByClient() {
	s.mu.Lock()
	if s.state == open && s.ws == nil && s.poll == nil {
		arrived := make(chan struct{})
		s.pollArrived = arrived
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-time.After(closeDelay):
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
	s.stop(Transport)
	s.answer([]entry{{m: noopPacket}})
	s.server.forget(s)
	go s.finish(Transport)
}

// abort ends a session without telling the client, which has gone or may have lost
// messages. mu is held.
func (s *Session) abort(reason string) {
	if s.state == closed {
		return
	}
	s.queue.take()
	if s.state == open {
		s.stop(reason)
		defer func() { go s.finish(reason) }()
	}
	s.state = closed
	s.answer([]entry{{m: closePacket}})
	if s.ws != nil {
		s.ws.closeNow()
	}
	s.server.forget(s)
}

// stop is the first part of every end; mu is held. The caller then removes the session
// from the server and calls finish.
func (s *Session) stop(reason string) {
	s.state = closed
	s.timer.Stop()
	s.forgetInbound()
	if s.probe != nil {
		s.probe.closeNow()
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

func (s *Session) finish(reason string) {
	defer s.server.live.Done()
	s.receiving.Lock()
	defer s.receiving.Unlock()
	defer s.recover()
	s.receiver.Closed(reason)
}

func (s *Session) readFailed(err error) {
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
		s.abort(Transport)
	}
}

// violated ends a session whose receiver reported a protocol violation. A polling client
// still receives the messages queued before.
func (s *Session) violated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(Protocol, ws.StatusProtocolError)
}

// invalidPacket ends a session whose client sent something other than packets. A polling
// client receives nothing more.
func (s *Session) invalidPacket() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ws != nil {
		s.end(Protocol, ws.StatusProtocolError)
		return
	}
	s.abort(Protocol)
}
