package engine

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/gobwas/ws"
)

// websocket answers an upgrade request: a new session, or one that leaves polling.
// The request is let go; the connection goes on without it.
func (v *Server) websocket(w http.ResponseWriter, r *http.Request, s *Session) {
	fresh := s == nil
	if fresh {
		if s = v.begin(r); s == nil {
			v.refuse(w, r, noRoom)
			return
		}
	}
	c, err := v.upgrade(w, r)
	switch {
	case err != nil && fresh:
		s.mu.Lock()
		s.lose(Transport)
		s.mu.Unlock()
	case err != nil:
	case fresh:
		s.openOn(c)
		go s.resume(c, nil)
	case s.claim(c):
		go s.takeProbe(c)
	default:
		go c.refuse(ws.StatusPolicyViolation, v.writeTimeout)
	}
}

// upgrade makes a websocket of a request. The headers that are set go along.
func (v *Server) upgrade(w http.ResponseWriter, r *http.Request) (*wire, error) {
	u := ws.HTTPUpgrader{Timeout: v.o.WriteTimeout, Header: w.Header()}
	conn, rw, _, err := u.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		return nil, err
	}
	boundSendBuffer(conn)
	c := &wire{conn: conn, max: v.o.MaxPayload, began: time.Now()}
	if n := rw.Reader.Buffered(); n > 0 {
		early, _ := rw.Reader.Peek(n)
		c.early = bytes.Clone(early)
	}
	return c, nil
}

// openOn sends the open packet of a session that begins as a websocket.
func (s *Session) openOn(c *wire) {
	c.patience = s.server.silence()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ws = c
	if s.state != open {
		c.cut()
		return
	}
	s.queue.pushFront(entry{m: s.server.openPacket(s)})
	s.pump()
}

// run waits for a session's websocket, and for nothing else: a goroutine that does
// no more than this keeps the smallest stack there is. It ends with what came; the
// next one waits for more.
func (s *Session) run(c *wire) {
	err := c.fill()
	s.resume(c, err)
}

// resume carries out what has come, and waits again.
func (s *Session) resume(c *wire, err error) {
	for err == nil && c.unread() {
		var op ws.OpCode
		var data []byte
		if op, data, err = c.next(); err == nil && !s.take(c, op, data) {
			c.drain()
			c.cut()
			return
		}
	}
	if err != nil {
		s.settle()
		s.lost(err)
		c.drain()
		c.cut()
		return
	}
	c.expect()
	go s.run(c)
}

// take carries out a message or a control frame. It is false when no more is to be
// read: a session that has ended lets go of its connection, whatever comes.
func (s *Session) take(c *wire, op ws.OpCode, data []byte) bool {
	switch op {
	case ws.OpPing:
		s.pong(data)
		return s.isOpen()
	case ws.OpPong:
		return s.isOpen()
	case ws.OpClose:
		s.settle()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(Transport, farewell(data))
		return false
	}
	p, err := packet{typeBinary, data}, error(nil)
	if op == ws.OpText {
		p, err = readPacket(data)
	}
	if err != nil {
		s.broken()
		return false
	}
	if p.kind == typePong || p.kind == typeNoop {
		if err := c.countOther(); err != nil {
			s.lost(err)
			return false
		}
	}
	s.receive(p)
	return s.isOpen()
}

// receive carries out a packet, or leaves it to others: nothing that a client sends
// may hold back the reading of what comes behind it. The packet is only lent.
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
		s.settle()
		s.goodbye()
	case typeNoop:
	default:
		s.broken()
	}
}

// pong answers a control ping; of several that wait, the last one counts.
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

// drain reads what the client still sends until it closes, for a moment: a
// connection closed over unread bytes loses the close frame.
func (c *wire) drain() {
	c.conn.SetReadDeadline(time.Now().Add(closeGrace))
	io.Copy(io.Discard, c.conn)
}
