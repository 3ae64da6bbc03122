package response

import (
	"bytes"
	"fmt"
	"net"
	"net/http"

	"mkt/internal/listen"
	"mkt/serve/internal/api"
)

// Listener replaces the answers that net/http writes itself. A request which net/http
// cannot parse never reaches a handler: net/http writes a line of plain text and closes
// the connection. The contract's error body is written instead.
type Listener struct{ net.Listener }

func (l Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{listen.Wrapped{Conn: c}}, nil
}

type conn struct{ listen.Wrapped }

// protocolHeaders follow the first line of every answer that net/http writes itself, and
// of no other.
var protocolHeaders = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

func (c *conn) Write(p []byte) (int, error) {
	code, ok := protocolError(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(RawRefusal(api.Refuse(code))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// protocolError reports whether p is such an answer, and returns the code for it.
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

// RawRefusal returns the bytes of a refusal on a connection on which no request has
// been read.
func RawRefusal(e *api.Error) []byte {
	id := RequestID(&http.Request{})
	body := api.AppendError(nil, e, id)
	status := e.Code.Status()
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"+
		"Vary: Origin, Accept-Encoding\r\nX-Request-Id: %s\r\n", status, http.StatusText(status), id)
	if e.RetryAfter > 0 {
		b = fmt.Appendf(b, "Retry-After: %d\r\n", e.Seconds())
	}
	return fmt.Appendf(b, "Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
}
