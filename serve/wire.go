package serve

import (
	"bytes"
	"fmt"
	"net"
	"net/http"

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

// protocolErrors are the beginnings of what net/http writes by itself.
var protocolErrors = []struct {
	begins []byte
	code   api.Code
}{
	{[]byte("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"), api.BadRequest},
	{[]byte("HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"), api.RequestTooLarge},
	{[]byte("HTTP/1.1 501 Not Implemented\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"), api.BadRequest},
	{[]byte("HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"), api.BadRequest},
	{[]byte("HTTP/1.1 417 Expectation Failed\r\n"), api.BadRequest},
}

// Write implements net.Conn.
func (c *plainConn) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 ")) || len(p) < 10 || p[9] < '4' {
		return c.Conn.Write(p)
	}
	for _, e := range protocolErrors {
		if bytes.HasPrefix(p, e.begins) {
			if _, err := c.Conn.Write(protocolAnswer(e.code)); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

func protocolAnswer(code api.Code) []byte {
	id := requestID(&http.Request{})
	body := api.AppendError(nil, api.Refuse(code), id)
	status := code.Status()
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nVary: Origin, Accept-Encoding\r\n"+
		"X-Request-Id: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), id, len(body), body)
}
