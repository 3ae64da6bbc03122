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

	"mkt/internal/deadline"
)

// writers are the goroutines that write to websockets: a few for all sessions, and none
// while nothing is queued. They never wait for a client. One that does not read fast enough
// gets its own goroutine until everything is written.
type writers struct {
	mu      sync.Mutex
	ready   []*Session // with something to write, each at most once
	running int
}

// submit queues a session for writing; its flag writing must be set.
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

// next returns nil if the goroutine must end.
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

// flush writes the queue, as far as the operating system accepts it.
func (s *Session) flush() {
	for {
		m := s.nextMessage()
		if m == nil {
			return
		}
		frames := s.ws.framesOf(m)
		n, err := s.ws.tryWrite(frames)
		if err != nil {
			s.writeFailed(err)
			return
		}
		if n < len(frames) {
			s.mu.Lock()
			s.slow = true
			s.mu.Unlock()
			go s.flushSlowly(m, n)
			return
		}
		s.written(m)
	}
}

func (s *Session) flushSlowly(m *Message, n int) {
	for m != nil {
		if err := s.ws.writeAll(s.ws.framesOf(m)[n:], s.writeTimeout); err != nil {
			s.writeFailed(err)
			return
		}
		s.written(m)
		m, n = s.nextMessage(), 0
	}
}

// framesOf returns the bytes of a message for this client. The queue and the heartbeat count
// those of the message without compression.
func (c *wire) framesOf(m *Message) []byte {
	if c.deflates {
		return m.deflatedFrames()
	}
	return m.frames
}

// nextMessage removes and returns the next message to write. If it returns nil, the writing
// has ended.
func (s *Session) nextMessage() *Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beingWritten = 0
	if len(s.queue.list) == 0 {
		s.writing, s.slow = false, false
		s.checkDrained()
		return nil
	}
	if s.pingFirst(s.queue.list[0].cost()) {
		s.queue.pushFront(entry{m: s.duePing()})
	}
	e := s.queue.pop()
	s.beingWritten = e.cost()
	s.sent(e.m)
	return e.m
}

func (s *Session) written(m *Message) {
	if m.last {
		s.ws.finish()
	}
}

// writeFailed ends a session that cannot be written to. The flag writing remains set, so
// nothing else is written.
func (s *Session) writeFailed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := Transport
	if errors.Is(err, os.ErrDeadlineExceeded) {
		reason = Slow
	}
	if s.state == open {
		s.abort(reason)
	}
	s.ws.closeNow()
}

// tryWrite writes as much as the operating system accepts without waiting.
func (c *wire) tryWrite(b []byte) (n int, err error) {
	owner, ok := c.conn.(syscall.Conn)
	if !ok {
		return 0, nil // TLS connections can only be written with waiting
	}
	raw, err := owner.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		for {
			if n, failed = syscall.Write(int(fd), b); failed != syscall.EINTR {
				return true // whatever the result, because false would wait
			}
		}
	})
	if failed == syscall.EAGAIN {
		failed = nil
	}
	return max(n, 0), errors.Join(err, failed)
}

// chunk is the number of bytes that a client must read within the write timeout.
const chunk = 16 << 10

// writeAll writes everything. It fails if a part takes longer than timeout returns when
// the part begins.
func (c *wire) writeAll(b []byte, timeout func() time.Duration) error {
	defer c.conn.SetWriteDeadline(time.Time{}) // an expired deadline would make tryWrite fail
	for len(b) > 0 {
		deadline.Write(c.conn, timeout())
		n, err := c.conn.Write(b[:min(len(b), chunk)])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// sendBuffer limits the operating system's buffer for a client, which is twice as large:
// buffered messages cannot be replaced by newer ones or overtaken by a ping.
const sendBuffer = 16 << 10

func boundSendBuffer(c net.Conn) {
	if owner, ok := c.(interface{ SetWriteBuffer(int) error }); ok {
		owner.SetWriteBuffer(sendBuffer) // if it fails, slow clients receive messages later
	}
}

// finish is called after our close frame: the client has a moment to answer it.
func (c *wire) finish() {
	c.closing.Store(true)
	deadline.Read(c.conn, closeGrace)
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	if idlers().unpark(c) {
		go c.session.read(c)
	}
}

func (c *wire) closeNow() {
	c.conn.Close()
	idlers().unpark(c) // only now, because a closed one cannot be parked again
}

// upgradeRefused: the session has a websocket, or is getting one, or this one did not ask to
// become the session's.
const upgradeRefused = "upgrade refused"

// refuse closes a websocket that belongs to no session, with a close frame.
func (c *wire) refuse(code ws.StatusCode, timeout func() time.Duration) {
	if c.writeAll(newClose(code, upgradeRefused).frames, timeout) == nil {
		c.finish()
		c.drain()
	}
	c.closeNow()
}
