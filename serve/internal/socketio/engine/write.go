package engine

import (
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gobwas/ws"
)

// writers are the goroutines that write to websockets, a few for all sessions, and
// none while nothing waits. They never wait for a client: one that does not take
// what is there to take gets a goroutine of its own until it has caught up.
type writers struct {
	mu      sync.Mutex
	ready   []*Session // with something to write, each at most once
	running int
}

// submit has a session written to; its flag writing is set.
func (p *writers) submit(s *Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = append(p.ready, s)
	if p.running < max(4, runtime.GOMAXPROCS(0)) {
		p.running++
		go p.run()
	}
}

func (p *writers) run() {
	for s := p.next(); s != nil; s = p.next() {
		s.flush()
	}
}

// next is nil when the goroutine is to end.
func (p *writers) next() *Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ready) == 0 {
		p.ready = nil
		p.running--
		return nil
	}
	s := p.ready[0]
	p.ready[0] = nil
	p.ready = p.ready[1:]
	return s
}

// flush writes what waits, as far as the client takes it.
func (s *Session) flush() {
	for {
		m := s.nextMessage()
		if m == nil {
			return
		}
		n, err := s.ws.tryWrite(m.frames)
		if err != nil {
			s.writeFailed(err)
			return
		}
		if n < len(m.frames) {
			s.mu.Lock()
			s.slow = true
			s.mu.Unlock()
			go s.flushSlowly(m, n)
			return
		}
		s.written(m)
	}
}

// flushSlowly writes the rest of a message, and what waits behind it.
func (s *Session) flushSlowly(m *Message, n int) {
	for m != nil {
		if err := s.ws.writeAll(m.frames[n:], s.patience); err != nil {
			s.writeFailed(err)
			return
		}
		s.written(m)
		m, n = s.nextMessage(), 0
	}
}

// nextMessage takes what is to be written next; nil ends the writing.
func (s *Session) nextMessage() *Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying = 0
	if len(s.queue.list) == 0 {
		s.writing, s.slow = false, false
		s.checkDrained()
		return nil
	}
	if s.pingFirst(s.queue.list[0].cost()) {
		s.queue.pushFront(entry{m: s.ask()})
	}
	e := s.queue.pop()
	s.flying = e.cost()
	s.sent(e.m)
	return e.m
}

// written follows a whole message.
func (s *Session) written(m *Message) {
	if m.last {
		s.ws.finish()
	}
}

// writeFailed ends a session that cannot be written to; the flag writing stays.
func (s *Session) writeFailed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := Transport
	if errors.Is(err, os.ErrDeadlineExceeded) {
		reason = Slow
	}
	if s.state == open {
		s.lose(reason)
	}
	s.ws.cut()
}

// tryWrite writes what the operating system takes at once.
func (c *wire) tryWrite(b []byte) (n int, err error) {
	owner, ok := c.conn.(syscall.Conn)
	if !ok {
		return 0, nil // TLS and the like can only be waited for
	}
	raw, err := owner.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		for {
			if n, failed = syscall.Write(int(fd), b); failed != syscall.EINTR {
				return true // whatever came of it: false would wait
			}
		}
	})
	if failed == syscall.EAGAIN {
		failed = nil
	}
	return max(n, 0), errors.Join(err, failed)
}

// chunk is what a client must take within the write timeout.
const chunk = 16 << 10

// writeAll waits until all is written, or a part of it takes longer than patience
// says at its beginning.
func (c *wire) writeAll(b []byte, patience func() time.Duration) error {
	defer c.conn.SetWriteDeadline(time.Time{}) // tryWrite waits for nothing, and heeds one that has passed
	for len(b) > 0 {
		c.conn.SetWriteDeadline(time.Now().Add(patience()))
		n, err := c.conn.Write(b[:min(len(b), chunk)])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// sendBuffer bounds what the operating system holds for a client, of which it takes
// twice as much: what lies there can neither be replaced by something newer nor be
// overtaken by a ping.
const sendBuffer = 16 << 10

func boundSendBuffer(c net.Conn) {
	if owner, ok := c.(interface{ SetWriteBuffer(int) error }); ok {
		owner.SetWriteBuffer(sendBuffer) // without it slow clients hear later from us
	}
}

// finish follows our close frame: the client has a moment to answer it.
func (c *wire) finish() {
	c.closing.Store(true)
	c.conn.SetReadDeadline(time.Now().Add(closeGrace))
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}

// cut closes the connection as it is.
func (c *wire) cut() { c.conn.Close() }

// refuse closes a websocket that no session wants, with manners.
func (c *wire) refuse(code ws.StatusCode, patience func() time.Duration) {
	if c.writeAll(newClose(code).frames, patience) == nil {
		c.finish()
		c.drain()
	}
	c.cut()
}
