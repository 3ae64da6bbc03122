package listen

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"mkt/internal/deadline"
)

// Answerer answers requests in place of net/http, which spends more time on a request and its
// answer than a page that is ready needs. See package direct.
type Answerer interface {
	// Answer is given all bytes that arrived together while the http.Server waited for a
	// request. Unless the outcome is Answered or Close, it has written nothing.
	Answer(c *Conn, request []byte) Outcome
}

// Outcome says what became of bytes that an Answerer was given.
type Outcome uint8

// The outcomes.
const (
	Unknown  Outcome = iota // they may be anything: more or less than one request
	Whole                   // exactly one request without a body, which the http.Server must answer
	Answered                // exactly one request, which has been answered
	Close                   // and the connection must be closed
)

// expects says what the next bytes of a connection are.
type expects uint8

const (
	aRequest expects = iota // the first ones of a request; the http.Server waits for them, and has no others
	nothing                 // the http.Server answers a request that has no body
	anything                // it is no longer known, and never will be
)

// Read implements net.Conn. While the http.Server waits for a request, it does not return
// requests that the Answerer answers. Only whole requests are: otherwise what follows, which may
// be the body of a request, could be taken for a request.
func (c *Conn) Read(p []byte) (int, error) {
	if c.next == nothing && len(p) == 1 { // the http.Server wants to notice that the client disconnects
		if err := c.awaitEnd(); !errors.Is(err, errors.ErrUnsupported) {
			return 0, err
		}
	}
	for {
		n, err := c.Conn.Read(p)
		if n == 0 || c.next == anything {
			return n, err
		}
		outcome := Unknown
		if a := c.listener.o.Answerer; a != nil && c.next == aRequest && err == nil {
			outcome = c.answer(a, p[:n])
		}
		switch outcome {
		case Answered:
			continue
		case Close:
			return 0, io.EOF
		case Whole:
			c.next = nothing
		case Unknown:
			c.next = anything
		}
		c.handOver()
		return n, err
	}
}

// answer lets the Answerer answer. Meanwhile the connection does not count as waiting, and if
// the http.Server closes it, which believes that it is idle, it remains open until the end.
func (c *Conn) answer(a Answerer, request []byte) (outcome Outcome) {
	c.begin()
	defer func() { c.end(outcome) }()
	c.renewLimits()
	return a.Answer(c, request)
}

// renewLimits sets the time limits for the answer, and for the wait after it. As that takes
// longer than comparing times, they are an eighth longer and are not set each time.
func (c *Conn) renewLimits() {
	idle, write := c.listener.o.Idle, c.listener.o.Write
	each := min(idle, write) / 8
	if now := deadline.Elapsed(); c.renewed == 0 || now-c.renewed > each {
		c.renewed = now
		deadline.Read(c.Conn, idle+each)
		deadline.Write(c.Conn, write+each)
	}
}

// handOver restores what the http.Server set before it waited: the time limit of the head of a
// first request. It sets all others again.
func (c *Conn) handOver() {
	if c.renewed != 0 {
		c.renewed = 0
		deadline.Read(c.Conn, c.listener.o.Head)
	}
}

func (c *Conn) begin() {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.setWaiting(c, false)
	c.answering = true
}

func (c *Conn) end(outcome Outcome) {
	l := c.listener
	l.mu.Lock()
	c.answering, c.answered = false, c.answered || outcome == Answered
	l.setWaiting(c, true)
	closing := c.closing
	l.mu.Unlock()
	if closing {
		c.Close()
	}
}

// WriteAll writes all parts in as few system calls as possible, and returns how many bytes it wrote.
// parts is modified.
func (c *Conn) WriteAll(parts *net.Buffers) (int64, error) {
	c.writing.Store(int64(deadline.Elapsed()))
	defer c.writing.Store(0)
	return parts.WriteTo(c.innermost())
}

// awaitEnd waits until the client disconnects, or the deadline of reads. Bytes that arrive
// meanwhile remain unread, so that they can be given to the Answerer together.
func (c *Conn) awaitEnd() error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	if err := raw.Read(ended); err != nil {
		return err
	}
	return io.EOF
}

// OnDisconnect calls f when the client disconnects, or closes its sending direction, until stop is
// called. Only the Answerer may call it, and it must stop before it returns.
func (c *Conn) OnDisconnect(f func()) (stop func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := c.awaitEnd(); !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, errors.ErrUnsupported) {
			f()
		}
	}()
	return func() {
		c.SetReadDeadline(time.Unix(1, 0))
		<-over
		c.renewed = 0
		c.renewLimits()
	}
}

// ended reports whether the other side has closed a connection on which everything has been read.
func ended(fd uintptr) bool {
	var one [1]byte
	n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	if err != nil {
		return !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
	}
	return n == 0
}

// innermost returns the connection of the operating system, if c is a wrapper of it.
func (c *Conn) innermost() net.Conn {
	conn := c.Conn
	for {
		wrapper, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapper.NetConn()
	}
}

// CloseIdle closes the connections on which the Answerer has answered, and those on which it is
// answering after the answer. It is for a shutdown: the http.Server believes that no request has
// arrived on a new one of them yet, and waits for it.
func (l *Listener) CloseIdle() {
	for _, c := range l.connsWith(func(c *Conn) bool { return c.answering || c.answered && c.inWaiting.in }) {
		c.Close()
	}
}

// Finish waits until the Answerer is answering on no connection, or ctx ends. It is called after the
// http.Server has shut down.
func (l *Listener) Finish(ctx context.Context) error {
	const interval = 5 * time.Millisecond
	for len(l.connsWith(answering)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
	return nil
}

// Abort closes the connections on which the Answerer is answering, which the http.Server cannot
// close before the end of the answers.
func (l *Listener) Abort() {
	for _, c := range l.connsWith(answering) {
		c.Conn.Close()
	}
}

func answering(c *Conn) bool { return c.answering }

func (l *Listener) connsWith(property func(*Conn) bool) (conns []*Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := l.all.head; k != nil; k = k.next {
		if property(k.value) {
			conns = append(conns, k.value)
		}
	}
	return conns
}
