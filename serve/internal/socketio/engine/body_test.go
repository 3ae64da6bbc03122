package engine_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/internal/check"
	"mkt/serve/internal/socketio/engine"
)

// raw sends bytes over a new connection.
func (h *host) raw(text string) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(check.Limit))
	go io.WriteString(conn, text) // the server may answer before it has read all of it
	return conn
}

// closed waits until the server closes a connection, and returns the first line of its
// answer.
func closed(t *testing.T, name string, conn net.Conn) string {
	t.Helper()
	said, err := io.ReadAll(conn)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Errorf("%s: still open, said %.100q", name, said)
	}
	line, _, _ := strings.Cut(string(said), "\r\n")
	return line
}

// A request whose body never arrives is answered, and its connection is closed, whatever it
// asks for.
func TestBodyThatNeverComes(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{ReadTimeout: 100 * time.Millisecond, MaxPayload: 1000})
	const session = "EIO=4&transport=polling&sid="
	chunks := "Transfer-Encoding: chunked\r\n\r\n"
	conns := map[string]net.Conn{} // all at once: each is open for a moment behind its answer
	cases := map[string]struct{ method, query, rest, want string }{
		"POST":                          {"POST", session, "Content-Length: 400\r\n\r\n4", "400"},
		"POST, nothing of it":           {"POST", session, "Content-Length: 400\r\n\r\n", "400"},
		"POST, in chunks":               {"POST", session, chunks + "3\r\n4ab\r\n", "400"},
		"POST above the limit":          {"POST", session, "Content-Length: 100000\r\n\r\n" + strings.Repeat("4", 2000), "413"},
		"POST above the limit, chunked": {"POST", session, chunks + "7d0\r\n" + strings.Repeat("4", 2000) + "\r\n", "413"},
		"POST, expected":                {"POST", session, "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n", "100"},
		"POST of octets":                {"POST", session, "Content-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\n", "400"},
		"POST without sid":              {"POST", hello, "Content-Length: 4\r\n\r\n", "400"},
		"POST with an unknown sid":      {"POST", session + "x", "Content-Length: 4\r\n\r\n", "400"},
		"poll":                          {"GET", session, "Content-Length: 4\r\n\r\n", "400"},
		"poll, in chunks":               {"GET", session, chunks, "400"},
		"handshake":                     {"GET", hello, "Content-Length: 4\r\n\r\n", "400"},
		"preflight":                     {"OPTIONS", hello, "Content-Length: 4\r\n\r\n", "204"},
		"another method":                {"DELETE", session, "Content-Length: 4\r\n\r\n", "400"},
		"websocket": {"GET", "EIO=4&transport=websocket", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nContent-Length: 4\r\n\r\n", "400"},
	}
	for name, c := range cases {
		if c.query == session {
			c.query += h.poll().sid
		}
		conns[name] = h.raw(fmt.Sprintf("%s /engine.io/?%s HTTP/1.1\r\nHost: x\r\n%s", c.method, c.query, c.rest))
	}
	for name, c := range cases {
		if got := closed(t, name, conns[name]); !strings.HasPrefix(got, "HTTP/1.1 "+c.want) {
			t.Errorf("%s: said %q, want %s", name, got, c.want)
		}
	}
}

// A POST in chunks is handled, and its connection is closed: if it also has a length, a proxy
// may see the end of the body elsewhere.
func TestPostInChunksClosesTheConnection(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	for _, length := range []string{"", "Content-Length: 4\r\n"} {
		conn := h.raw(fmt.Sprintf("POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\n%sTransfer-Encoding: chunked\r\n\r\n3\r\n4ab\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
			h.poll().query(), length))
		said, err := io.ReadAll(conn)
		if err != nil || strings.Count(string(said), "HTTP/1.1 ") != 1 || !strings.HasPrefix(string(said), "HTTP/1.1 200") {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// The end of a session ends the reading of its POST, long before the deadline of the body.
func TestEndOfASessionEndsItsPost(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{ReadTimeout: time.Hour})
	p := h.poll()
	conn := h.raw(fmt.Sprintf("POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n4", p.query()))
	waiting := p.later()
	(<-h.opened).Close("dropped")
	p.expect(<-waiting, 200, "1")
	closed(t, "POST", conn)
}

// After the end of a session, the connection of its POST can be used for another session.
func TestEndOfASessionKeepsTheConnection(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	p, other := h.poll(), h.poll()
	conn := h.raw(fmt.Sprintf("POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n4violate", p.query()))
	answers := bufio.NewReader(conn)
	for _, want := range []string{"400 Bad Request", "200 OK"} {
		a, err := http.ReadResponse(answers, nil)
		if err != nil || a.Status != want {
			t.Fatalf("%+v, %v, want %s", a, err, want)
		}
		body, _ := io.ReadAll(a.Body)
		if want == "200 OK" {
			if string(body) != "4late" {
				t.Errorf("poll %q", body)
			}
			return
		}
		fmt.Fprintf(conn, "GET /engine.io/?%s HTTP/1.1\r\nHost: x\r\n\r\n", other.query())
		<-h.opened
		s := <-h.opened
		time.AfterFunc(50*time.Millisecond, func() { s.Send(text("late")) }) // it most likely waits by then
	}
}

// After a complete body, the connection can be used for the next request.
func TestBodyThatComesKeepsTheConnection(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	post := fmt.Sprintf("POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n4a", p.query())
	conn := h.raw(post + strings.Replace(post, "Host: x", "Host: x\r\nConnection: close", 1))
	said, err := io.ReadAll(conn)
	if n := strings.Count(string(said), "HTTP/1.1 200"); n != 2 {
		t.Errorf("%d answers: %q, %v", n, said, err)
	}
}
