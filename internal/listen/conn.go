package listen

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"

	"mkt/internal/deadline"
)

// Conn is a connection that a Listener counts until it is closed.
type Conn struct {
	Wrapped
	listener *Listener
	address  netip.Addr // its network
	exempt   bool
	writing  atomic.Int64 // when the current write began, on deadline.Elapsed; 0 = none
	gathered *gathering   // the writes [Conn.Gather] collects; nil = writes are passed on at once
	peer     *peer

	// Guarded by the listener's lock.
	left, taken               bool // removed from the lists; hijacked
	inOpen, inWaiting, inPeer link[*Conn]
}

// Wrapped is a connection around another one. It has the methods that a websocket needs in
// addition to those of net.Conn: to write without waiting, to close one direction, and to
// limit the send buffer. They fail if the other connection does not have them.
type Wrapped struct{ net.Conn }

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	if c.gathered != nil {
		c.gathered.add(p)
		return len(p), nil
	}
	c.writing.Store(int64(deadline.Elapsed()))
	defer c.writing.Store(0)
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.listener.mu.Lock()
	c.listener.leave(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// NetConn returns the wrapped connection.
func (c Wrapped) NetConn() net.Conn { return c.Conn }

// SyscallConn implements syscall.Conn.
func (c Wrapped) SyscallConn() (syscall.RawConn, error) {
	if owner, ok := c.Conn.(syscall.Conn); ok {
		return owner.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// CloseWrite closes the sending direction.
func (c Wrapped) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// SetWriteBuffer limits the operating system's buffer of data for the client.
func (c Wrapped) SetWriteBuffer(bytes int) error {
	if owner, ok := c.Conn.(interface{ SetWriteBuffer(int) error }); ok {
		return owner.SetWriteBuffer(bytes)
	}
	return errors.ErrUnsupported
}

func (c *Conn) mark(waiting bool) {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.setWaiting(c, waiting)
}

// Body wraps the body of a request. While the server waits for the body, the connection may
// be closed in favour of another. c may be nil.
func (c *Conn) Body(b io.ReadCloser) io.ReadCloser {
	if c == nil {
		return b
	}
	return &body{b, c}
}

type body struct {
	io.ReadCloser
	conn *Conn
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.conn.mark(true)
	defer b.conn.mark(false)
	return b.ReadCloser.Read(p)
}
