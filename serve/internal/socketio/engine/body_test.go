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

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

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
		time.AfterFunc(50*time.Millisecond, func() { s.Send(text("late")) }) // the GET probably waits then
	}
}

func TestCompleteBodyKeepsTheConnection(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	post := fmt.Sprintf("POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n4a", p.query())
	conn := h.raw(post + strings.Replace(post, "Host: x", "Host: x\r\nConnection: close", 1))
	said, err := io.ReadAll(conn)
	if n := strings.Count(string(said), "HTTP/1.1 200"); n != 2 {
		t.Errorf("%d answers: %q, %v", n, said, err)
	}
}
