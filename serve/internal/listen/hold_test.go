package listen_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/check"
	"mkt/serve/internal/listen"
)

// countedListener counts the writes of its connections that reach the network.
type countedListener struct {
	net.Listener
	writes atomic.Int64
}

func (l *countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{listen.Wrapped{Conn: c}, l}, err
}

type countedConn struct {
	listen.Wrapped
	l *countedListener
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.l.writes.Add(1)
	return c.Conn.Write(p)
}

// holding answers /N with N bytes of head and a tail, which it holds back until both are there.
func holding(t *testing.T, head []byte) (writes *atomic.Int64, address string) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	counted := &countedListener{Listener: inner}
	l := listen.New(counted, listen.Options{})
	server := &http.Server{ConnState: l.ConnState, ConnContext: l.ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Path[1:])
		must(t, err)
		control := http.NewResponseController(w)
		if r.URL.RawQuery == "late" {
			control.SetWriteDeadline(time.Unix(1, 0))
		}
		w.Header().Set("Content-Length", strconv.Itoa(n+len("tail")))
		c := listen.FromContext(r.Context())
		c.Hold()
		w.Write(head[:n])
		io.WriteString(w, "tail")
		control.Flush()
		c.Send()
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return &counted.writes, inner.Addr().String()
}

func patterned(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7 % 251)
	}
	return b
}

// An answer that is held back reaches the network in one piece, also if the next request has
// arrived already, and nothing of it is lost, doubled or kept for the next one.
func TestHeldAnswerIsOneWrite(t *testing.T) {
	head := patterned(200_000)
	writes, address := holding(t, head)
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	c.SetDeadline(time.Now().Add(check.Limit))
	sizes := []int{0, 1, 500, 2_044, 2_048, 3_900, 4_096, 5_889, 8_192, 20_000, 200_000, 3}
	var requests bytes.Buffer
	for _, n := range sizes {
		requests.WriteString(get("/" + strconv.Itoa(n)))
	}
	_, err = requests.WriteTo(c)
	must(t, err)
	answers := bufio.NewReader(c)
	for _, n := range sizes {
		a, err := http.ReadResponse(answers, nil)
		must(t, err)
		body, err := io.ReadAll(a.Body)
		must(t, err)
		if want := append(head[:n:n], "tail"...); !bytes.Equal(body, want) {
			t.Errorf("%d bytes: the answer has %d others", len(want), len(body))
		}
	}
	if n := writes.Load(); n != int64(len(sizes)) {
		t.Errorf("%d answers were sent with %d writes", len(sizes), n)
	}
}

// A connection whose answer could not be sent completely is closed.
func TestHeldAnswerThatCannotBeSent(t *testing.T) {
	_, address := holding(t, patterned(5_000))
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	c.SetDeadline(time.Now().Add(check.Limit))
	io.WriteString(c, get("/5000?late"))
	if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
		t.Errorf("the connection has %q and ends with %v", rest, err)
	}
}
