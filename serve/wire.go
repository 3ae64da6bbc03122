package serve

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"mkt/serve/internal/api"
)

// What net/http cannot parse never reaches a handler: it writes a line of plain
// text to the connection and closes it. plainListener puts the contract's body in
// its place, so that there is one kind of error whatever a client sends.
type plainListener struct{ net.Listener }

// Accept implements net.Listener.
func (l plainListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &plainConn{c}, nil
}

type plainConn struct{ net.Conn }

// A websocket takes the connection over, and needs of it what a net.Conn does not
// have: to write without waiting (package engine), to close one half, and to bound
// what waits below it.
var (
	_ syscall.Conn                           = (*plainConn)(nil)
	_ interface{ CloseWrite() error }        = (*plainConn)(nil)
	_ interface{ SetWriteBuffer(int) error } = (*plainConn)(nil)
)

// SyscallConn implements syscall.Conn.
func (c *plainConn) SyscallConn() (syscall.RawConn, error) {
	if owner, ok := c.Conn.(syscall.Conn); ok {
		return owner.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// SetWriteBuffer bounds what the operating system takes ahead of the client.
func (c *plainConn) SetWriteBuffer(bytes int) error {
	if owner, ok := c.Conn.(interface{ SetWriteBuffer(int) error }); ok {
		return owner.SetWriteBuffer(bytes)
	}
	return errors.ErrUnsupported
}

// CloseWrite says that nothing more will be sent.
func (c *plainConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// protocolHeaders is how every answer that net/http writes by itself goes on
// behind its first line. Ours never do.
var protocolHeaders = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// Write implements net.Conn.
func (c *plainConn) Write(p []byte) (int, error) {
	code, ok := protocolError(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(protocolAnswer(api.Refuse(code))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// protocolError tells whether p is such an answer, and what it is here.
func protocolError(p []byte) (code api.Code, ok bool) {
	const first = "HTTP/1.1 417"
	if len(p) < len(first) || string(p[:9]) != first[:9] || p[9] < '4' {
		return "", false
	}
	line, rest, _ := bytes.Cut(p[:min(len(p), 512)], []byte("\r\n"))
	switch {
	case string(line) == "HTTP/1.1 417 Expectation Failed":
		return api.BadRequest, true
	case !bytes.HasPrefix(rest, protocolHeaders):
		return "", false
	case string(line[9:12]) == "431":
		return api.RequestTooLarge, true
	}
	return api.BadRequest, true
}

// protocolAnswer is a refusal as bytes for a connection on which no request has
// been read.
func protocolAnswer(e *api.Error) []byte {
	id := requestID(&http.Request{})
	body := api.AppendError(nil, e, id)
	status := e.Code.Status()
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"+
		"Vary: Origin, Accept-Encoding\r\nX-Request-Id: %s\r\n", status, http.StatusText(status), id)
	if e.RetryAfter > 0 {
		b = fmt.Appendf(b, "Retry-After: %d\r\n", e.Seconds())
	}
	return fmt.Appendf(b, "Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
}
