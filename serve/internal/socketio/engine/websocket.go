package engine

import (
	"bytes"
	"io"
	"net/http"

	"github.com/gobwas/ws"

	"mkt/internal/deadline"
)

// websocket answers an upgrade request, which starts a session or ends the polling of one.
// The handler returns; the connection continues without the request.
func (v *Server) websocket(w http.ResponseWriter, r *http.Request, s *Session) {
	fresh := s == nil
	if fresh {
		if s = v.begin(r); s == nil {
			v.refuse(w, r, tooManySessions)
			return
		}
	}
	c, err := v.upgrade(w, r, s)
	switch {
	case err != nil && fresh:
		s.mu.Lock()
		s.abort(Transport)
		s.mu.Unlock()
	case err != nil:
	case fresh:
		s.openOn(c)
		go s.resume(c, nil)
	case s.startProbe(c):
		go s.handleProbe(c)
	default:
		go c.refuse(ws.StatusPolicyViolation, v.writeTimeout)
	}
}

// upgrade turns a request into a websocket for a session. The headers that are set are sent
// as well.
func (v *Server) upgrade(w http.ResponseWriter, r *http.Request, s *Session) (*wire, error) {
	u, deflates := ws.HTTPUpgrader{Timeout: v.o.WriteTimeout, Header: w.Header()}, false
	if !v.o.Uncompressed {
		u.Negotiate = negotiate(&deflates)
	}
	conn, rw, _, err := u.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		return nil, err
	}
	boundSendBuffer(conn)
	c := &wire{conn: conn, session: s, deflates: deflates}
	if n := rw.Reader.Buffered(); n > 0 {
		early, _ := rw.Reader.Peek(n)
		c.early = bytes.Clone(early)
	}
	return c, nil
}

// openOn sends the open packet of a session that begins as a websocket.
func (s *Session) openOn(c *wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ws = c
	if s.state != open {
		c.closeNow()
		return
	}
	s.queue.pushFront(entry{m: s.server.openPacket(s)})
	s.pump()
}

// read reads the bytes that have arrived on a session's websocket, or waits for some.
func (s *Session) read(c *wire) {
	c.expect()
	s.resume(c, c.fill())
}

// resume handles the data that has been read. Then nothing waits for more but idlers.
func (s *Session) resume(c *wire, err error) {
	for err == nil && c.unread() {
		var op ws.OpCode
		var data []byte
		if op, data, err = c.next(); err == nil && !s.handleFrame(c, op, data) {
			c.drain()
			c.closeNow()
			return
		}
	}
	if err != nil {
		s.awaitReceiver()
		s.readFailed(err)
		c.drain()
		c.closeNow()
		return
	}
	if !idlers().park(c) || c.closing.Load() && idlers().unpark(c) {
		go s.read(c) // with a stack of its own, which is small
	}
}

// handleFrame handles a message or a control frame. It returns false if no more is to be
// read: an ended session closes its connection whatever the client sends.
func (s *Session) handleFrame(c *wire, op ws.OpCode, data []byte) bool {
	switch op {
	case ws.OpPing:
		s.pong(data)
		return s.isOpen()
	case ws.OpPong:
		return s.isOpen()
	case ws.OpClose:
		s.awaitReceiver()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(Transport, closeReply(data))
		return false
	}
	p, err := packet{typeBinary, data}, error(nil)
	if op == ws.OpText {
		p, err = readPacket(data)
	}
	if err != nil {
		s.invalidPacket()
		return false
	}
	if p.kind == typePong || p.kind == typeNoop {
		if err := c.countOther(1); err != nil {
			s.readFailed(err)
			return false
		}
	}
	s.receive(p)
	return s.isOpen()
}

// receive handles a packet or starts its handling. Nothing a client sends can block the
// reading of its next packets. The packet is valid only until receive returns.
func (s *Session) receive(p packet) {
	switch p.kind {
	case typeMessage, typeBinary:
		s.alive(p.kind)
		p.data = bytes.Clone(p.data)
		if _, mine := s.enqueue(p); mine {
			go s.handOver()
		}
	case typePong:
		s.alive(p.kind)
	case typeClose:
		s.awaitReceiver()
		s.endByClient()
	case typeNoop:
	default:
		s.invalidPacket()
	}
}

// pong answers a control ping. Of several waiting pongs only the last one is sent.
func (s *Session) pong(data []byte) {
	const key = "\x00pong"
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.queue.remove(key)
		s.queue.pushFront(entry{pong(data), key})
		s.pump()
	}
}

// drain reads on for a moment, until the client closes the connection: closing a connection
// with unread bytes would lose the close frame.
func (c *wire) drain() {
	deadline.Read(c.conn, closeGrace)
	io.Copy(io.Discard, c.conn)
}
