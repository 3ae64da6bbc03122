package listen_test

import (
	"bufio"
	"bytes"
	"context"
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

// ready answers /ready/N with N bytes.
type ready struct {
	left     atomic.Bool // the client, while /watched or /until-left was answered
	answered atomic.Int64
}

func (r *ready) Answer(c *listen.Conn, request []byte) listen.Outcome {
	path, whole := bytes.CutSuffix(bytes.TrimPrefix(request, []byte("GET ")), []byte(" HTTP/1.1\r\nHost: x\r\n\r\n"))
	if !whole {
		return listen.Unknown
	}
	switch string(path) {
	case "/watched":
		defer c.OnDisconnect(func() { r.left.Store(true) })()
		path = []byte("/ready/1")
	case "/until-left":
		left := make(chan struct{})
		defer c.OnDisconnect(func() { close(left) })()
		<-left
		r.left.Store(true)
		return listen.Close
	}
	size, ok := bytes.CutPrefix(path, []byte("/ready/"))
	if !ok {
		return listen.Whole
	}
	n, _ := strconv.Atoi(string(size))
	head := "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(n) + "\r\n\r\n"
	r.answered.Add(1)
	if _, err := c.WriteAll(&net.Buffers{[]byte(head), make([]byte, n)}); err != nil {
		return listen.Close
	}
	return listen.Answered
}

// quick is a server with an Answerer.
type quick struct {
	ready
	*http.Server
	l       *listen.Listener
	address string
}

func startQuick(t *testing.T, o listen.Options) *quick {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	q := &quick{address: inner.Addr().String()}
	o.Answerer = &q.ready
	q.l = listen.New(inner, o)
	q.Server = &http.Server{ConnState: q.l.ConnState, ReadHeaderTimeout: o.Head, IdleTimeout: o.Idle, Handler: http.NotFoundHandler()}
	go q.Serve(q.l)
	t.Cleanup(func() { q.Server.Close() })
	return q
}

func (q *quick) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", q.address)
	must(t, err)
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(check.Limit))
	return c, bufio.NewReader(c)
}

// ask sends a request and returns the status and the size of the answer.
func ask(t *testing.T, c net.Conn, in *bufio.Reader, path string) (status, size int) {
	t.Helper()
	io.WriteString(c, get(path))
	a, err := http.ReadResponse(in, nil)
	must(t, err)
	n, err := io.Copy(io.Discard, a.Body)
	must(t, err)
	return a.StatusCode, int(n)
}

var long = listen.Options{Head: check.Limit, Idle: check.Limit, Write: check.Limit}

// Requests that the Answerer answers and those of the http.Server alternate on one connection.
func TestAnswererAndServerAlternate(t *testing.T) {
	q := startQuick(t, long)
	c, in := q.dial(t)
	for range 3 {
		for path, want := range map[string]int{"/ready/5": 200, "/other": 404, "/ready/100000": 200} {
			if status, _ := ask(t, c, in, path); status != want {
				t.Errorf("%s: status %d", path, status)
			}
		}
	}
	if n := q.answered.Load(); n != 6 {
		t.Errorf("the Answerer answered %d requests", n)
	}
}

// After an answer the time limits of net/http hold: for the head of the next request, and
// for a connection that is idle.
func TestTimeLimitsAfterAnAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		head, idle time.Duration
		rest       string
	}{
		"idle":        {check.Limit, 50 * time.Millisecond, ""},
		"half a head": {50 * time.Millisecond, check.Limit, "GET /ready/1 HTTP/1.1\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			q := startQuick(t, listen.Options{Head: tt.head, Idle: tt.idle, Write: check.Limit})
			c, in := q.dial(t)
			ask(t, c, in, "/ready/1")
			io.WriteString(c, tt.rest)
			if _, err := io.Copy(io.Discard, in); err != nil {
				t.Errorf("the connection is not closed: %v", err)
			}
		})
	}
}

// A shutdown neither cuts an answer that a client reads slowly, nor waits for connections that are idle.
func TestShutdownWithAnAnswerer(t *testing.T) {
	q := startQuick(t, long)
	idle, fromIdle := q.dial(t)
	ask(t, idle, fromIdle, "/ready/1")
	slow, fromSlow := q.dial(t)
	ask(t, slow, fromSlow, "/other") // so that the http.Server knows it, and believes it to be idle afterwards
	const size = 50 << 20
	io.WriteString(slow, get("/ready/"+strconv.Itoa(size)))
	check.Eventually(t, "the large answer is being sent", func() bool { return q.answered.Load() == 2 })

	finished := make(chan error, 1)
	go func() {
		q.l.CloseIdle()
		err := q.Shutdown(t.Context())
		if err == nil {
			err = q.l.Finish(t.Context())
		}
		finished <- err
	}()
	if _, err := fromIdle.ReadByte(); err != io.EOF {
		t.Errorf("the idle connection is not closed: %v", err)
	}
	select {
	case <-finished:
		t.Fatal("the shutdown did not wait for the answer")
	case <-time.After(50 * time.Millisecond):
	}
	a, err := http.ReadResponse(fromSlow, nil)
	must(t, err)
	if n, err := io.Copy(io.Discard, a.Body); n != size || err != nil {
		t.Errorf("%d bytes arrived: %v", n, err)
	}
	must(t, <-finished)
	if _, err := fromSlow.ReadByte(); err != io.EOF {
		t.Errorf("the connection is not closed after the answer: %v", err)
	}
}

// A connection on which an answer is in progress when the shutdown begins is closed after it:
// the http.Server would wait for a request on it, if it is new.
func TestCloseIdleAfterTheAnswerInProgress(t *testing.T) {
	q := startQuick(t, long)
	c, in := q.dial(t)
	const size = 50 << 20
	io.WriteString(c, get("/ready/"+strconv.Itoa(size)))
	check.Eventually(t, "the answer is being sent", func() bool { return q.answered.Load() == 1 })
	q.l.CloseIdle()
	if n, err := io.Copy(io.Discard, in); n < size || err != nil {
		t.Errorf("%d bytes arrived before the end: %v", n, err)
	}
}

// Answers that take longer than a shutdown may are cut.
func TestAbort(t *testing.T) {
	q := startQuick(t, long)
	c, _ := q.dial(t)
	io.WriteString(c, get("/ready/"+strconv.Itoa(50<<20)))
	check.Eventually(t, "the answer is being sent", func() bool { return q.answered.Load() == 1 })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q.l.CloseIdle()
	if err := q.l.Finish(ended); err != context.Canceled {
		t.Errorf("Finish returned %v", err)
	}
	q.l.Abort()
	check.Eventually(t, "the connection is closed", func() bool { return q.l.Stats().Open == 0 })
}

// A connection that is answered again and again has not waited longest.
func TestAnsweredConnectionIsNotTheOldest(t *testing.T) {
	q := startQuick(t, listen.Options{Head: check.Limit, Idle: check.Limit, Write: check.Limit, Max: 2})
	busy, fromBusy := q.dial(t)
	ask(t, busy, fromBusy, "/ready/1")
	idle, fromIdle := q.dial(t)
	ask(t, idle, fromIdle, "/ready/1")
	ask(t, busy, fromBusy, "/ready/1")
	third, fromThird := q.dial(t)
	ask(t, third, fromThird, "/ready/1")
	if _, err := fromIdle.ReadByte(); err != io.EOF {
		t.Errorf("the idle connection is open: %v", err)
	}
	ask(t, busy, fromBusy, "/ready/1")
}

// The Answerer learns that the client disconnects; before that, it may be as slow as it likes, and
// the next request is not lost.
func TestOnDisconnect(t *testing.T) {
	q := startQuick(t, long)
	c, in := q.dial(t)
	for range 3 {
		if status, _ := ask(t, c, in, "/watched"); status != 200 {
			t.Fatalf("status %d", status)
		}
	}
	if q.left.Load() {
		t.Error("the client is taken for disconnected")
	}
	io.WriteString(c, get("/until-left"))
	c.Close()
	check.Eventually(t, "the Answerer learns that the client has disconnected", q.left.Load)
}

// Watching the client does not change the time limit of the wait after the answer.
func TestIdleTimeAfterOnDisconnect(t *testing.T) {
	q := startQuick(t, listen.Options{Head: check.Limit, Idle: 50 * time.Millisecond, Write: check.Limit})
	c, in := q.dial(t)
	if status, _ := ask(t, c, in, "/watched"); status != 200 {
		t.Fatalf("status %d", status)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("the connection is not closed: %v", err)
	}
}
