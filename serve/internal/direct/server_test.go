package direct_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/check"
	"mkt/serve/internal/direct"
	"mkt/serve/internal/listen"
)

// pipes is a listener of connections whose reads return what was written at once, no more.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.over) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// echo answers with what it understood of a request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Add("X-Two", "a")
	w.Header().Add("X-Two", "b\r\nc")
	switch r.URL.Path {
	case "/api/none":
		w.WriteHeader(http.StatusNotModified)
		return
	case "/api/empty":
		w.WriteHeader(http.StatusNoContent)
		return
	case "/api/missing":
		w.WriteHeader(http.StatusNotFound)
	case "/api/declared":
		w.Header().Set("Content-Length", "3")
	case "/api/abort":
		panic(http.ErrAbortHandler)
	case "/api/close":
		w.Header().Set("Connection", "close")
	}
	fmt.Fprintln(w, r.Method, r.RequestURI, r.Host, r.Header["A"], r.ContentLength, string(body), err)
}

type counter struct {
	http.Handler
	direct atomic.Int64
}

// host starts a server. If there is a counter, requests below /api/ are answered directly.
func host(t testing.TB, c *counter) *pipes {
	p := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
	o := listen.Options{Head: check.Limit, Idle: check.Limit, Write: check.Limit}
	if c != nil {
		o.Answerer = &direct.Server{Root: "/api/", Now: time.Now, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.direct.Add(1)
			echo(w, r)
		})}
	}
	l := listen.New(p, o)
	server := &http.Server{Handler: http.HandlerFunc(echo), ConnState: l.ConnState, ConnContext: l.ConnContext}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return p
}

// exchange sends pieces, and returns what is answered until the server closes the connection.
func (p *pipes) exchange(pieces [][]byte) (answers []string, err error) {
	client, server := net.Pipe()
	defer client.Close()
	client.SetDeadline(time.Now().Add(check.Limit))
	p.conns <- server
	go func() {
		for _, piece := range pieces {
			if _, err := client.Write(piece); err != nil {
				return
			}
		}
	}()
	in := bufio.NewReader(client)
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			return answers, nil
		}
		a, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers, err
		}
		body, err := io.ReadAll(a.Body)
		if err != nil {
			return answers, err
		}
		if a.StatusCode < 400 && a.Header.Get("Date") == "" {
			return answers, errors.New("an answer has no date")
		}
		a.Header.Del("Date")
		answers = append(answers, fmt.Sprintln(a.Status, a.Proto, a.Close, a.ContentLength, a.Header, string(body)))
	}
}

const hidden = "GET /api/hidden HTTP/1.1\r\nHost: x\r\n\r\n"

// requests are what the streams of a connection consist of.
var requests = []string{
	"GET /api/a HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n",
	"GET /api/a?b=c HTTP/1.1\r\nHost: x\r\nA:  b \r\n\r\n",
	"GET /api/none HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/empty HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/missing HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
	"GET /api/%61 HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /other HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/a HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("b", 5000) + "\r\n\r\n",
	"POST /api/a HTTP/1.1\r\nHost: x\r\n\r\n",
	fmt.Sprintf("POST /api/a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(hidden), hidden),
	fmt.Sprintf("GET /api/a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(hidden), hidden),
	fmt.Sprintf("GET /api/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden),
	"GET /api/a HTTP/1.1\r\nHost: x\r\nA: b\r\n",
	"\r\n",
	"GET /api/close HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/abort HTTP/1.1\r\nHost: x\r\n\r\n",
}

const last = "GET /api/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// However requests are cut into pieces, the answers are those of net/http alone.
func TestSameAnswersAsNetHTTP(t *testing.T) {
	var counted counter
	plain, quick := host(t, nil), host(t, &counted)
	rapid.Check(t, func(t *rapid.T) {
		var pieces [][]byte
		piece := []byte{}
		for _, r := range append(rapid.SliceOfN(rapid.SampledFrom(requests), 0, 8).Draw(t, "requests"), last) {
			cuts := rapid.SliceOfN(rapid.IntRange(1, len(r)), 0, 2).Draw(t, "cuts")
			if rapid.IntRange(0, 4).Draw(t, "together") > 0 {
				cuts = append(cuts, len(r))
			}
			slices.Sort(cuts)
			from := 0
			for _, to := range slices.Compact(cuts) {
				pieces = append(pieces, append(bytes.Clone(piece), r[from:to]...))
				piece, from = nil, to
			}
			piece = append(piece, r[from:]...)
		}
		if len(piece) > 0 {
			pieces = append(pieces, piece)
		}
		want, err := plain.exchange(pieces)
		if err != nil {
			t.Fatal(err)
		}
		got, err := quick.exchange(pieces)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: answered\n%q, not\n%q", pieces, got, want)
		}
	})
	if counted.direct.Load() == 0 {
		t.Error("no request was answered directly")
	}
}

// Content-Length is the number of bytes that are sent, also if the handler set another one. Otherwise
// a client would read the rest of the body as the next answer.
func TestDeclaredLength(t *testing.T) {
	var counted counter
	request := []byte("GET /api/declared HTTP/1.1\r\nHost: x\r\n\r\n")
	answers, err := host(t, &counted).exchange([][]byte{request, request, []byte(last)})
	if err != nil || len(answers) != 3 || answers[0] != answers[1] || !strings.Contains(answers[0], "GET /api/declared x") {
		t.Errorf("answered %q: %v", answers, err)
	}
	if n := counted.direct.Load(); n != 3 {
		t.Errorf("%d requests were answered directly", n)
	}
}
