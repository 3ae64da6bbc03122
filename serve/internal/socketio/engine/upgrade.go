package engine

import (
	"cmp"
	"errors"

	"github.com/gobwas/ws"

	"mkt/internal/deadline"
)

// startProbe makes a websocket the probing one. It returns false if that is not possible.
func (s *Session) startProbe(c *wire) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.ws != nil || s.probe != nil {
		return false
	}
	s.probe = c
	return true
}

func (s *Session) handleProbe(c *wire) {
	deadline.Read(c.conn, s.server.o.UpgradeTimeout)
	if err := s.readUpgrade(c); err != nil || !s.takeOver(c) {
		s.dropProbe(c)
		c.refuse(cmp.Or(closeCode(err), ws.StatusPolicyViolation), s.server.writeTimeout)
		return
	}
	s.resume(c, nil)
}

var errProbe = errors.New("not a packet of an upgrade")

// readUpgrade reads the client's 2probe, possibly several, and its 5.
func (s *Session) readUpgrade(c *wire) error {
	for probed := false; ; {
		op, data, err := c.next()
		switch {
		case err != nil:
			return err
		case op == ws.OpPing:
			err = c.writeAll(pong(data).frames, s.server.writeTimeout)
		case op == ws.OpPong:
		case op == ws.OpText && string(data) == "2probe":
			probed = true
			err = s.answerProbe(c)
		case op == ws.OpText && string(data) == "5" && probed:
			return nil
		default:
			return errProbe
		}
		if err != nil {
			return err
		}
	}
}

// answerProbe writes 3probe, and then ends the waiting GET soon. One noop is not enough,
// because it may overtake the 3probe, and the client then polls again. So later GETs do not
// wait for long either.
func (s *Session) answerProbe(c *wire) error {
	if err := c.writeAll(probePacket.frames, s.server.writeTimeout); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed = s.probe == c
	s.answerPollSoon()
	return nil
}

// takeOver makes a websocket the transport, unless the session has ended.
func (s *Session) takeOver(c *wire) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.probe != c {
		return false
	}
	s.probe, s.probed, s.ws = nil, false, c
	s.answer(nil)                          // a client that follows the protocol has no GET waiting
	s.beat.extendedAt = deadline.Elapsed() // a ping may have to be sent again
	s.pump()
	return true
}

// dropProbe ends a failed upgrade; polling continues.
func (s *Session) dropProbe(c *wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.probe == c {
		s.probe, s.probed = nil, false
	}
}
