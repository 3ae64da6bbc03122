package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/internal/testing/socketiotest"
	"mkt/serve/internal/socketio/engine"
)

var must = check.Must

// host is a server sending every message back.
type host struct {
	t      *testing.T
	url    string
	server *engine.Server
	opened chan *engine.Session
	closed chan string // reasons
}

type mirror struct {
	h *host
	s *engine.Session
}

func (m mirror) Message(data []byte, binary bool) error {
	switch {
	case string(data) == "panic":
		panic("as asked")
	case string(data) == "violate":
		return errors.New("as asked")
	case binary:
		m.s.Send(engine.NewBinary(data))
	default:
		m.s.Send(engine.NewMessage(data))
	}
	return nil
}

func (m mirror) Closed(reason string) { m.h.closed <- reason }

func start(t *testing.T, o engine.Options) *host {
	t.Helper()
	h := &host{t: t, opened: make(chan *engine.Session, 1000), closed: make(chan string, 1000)}
	if o.Open == nil {
		o.Open = func(s *engine.Session) engine.Receiver {
			h.opened <- s
			return mirror{h, s}
		}
	}
	h.server = engine.New(o)
	web := httptest.NewUnstartedServer(h.server)
	// Timeouts like those of the service; long polls and slow uploads must not be cut by them.
	web.Config.ReadTimeout, web.Config.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond
	web.Config.ConnContext = engine.ConnContext
	web.Start()
	h.url = web.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		h.server.Shutdown(ctx)
		web.Close()
	})
	return h
}

func (h *host) reason() string {
	h.t.Helper()
	select {
	case r := <-h.closed:
		return r
	case <-time.After(check.Limit):
		h.t.Fatal("the session did not end")
		return ""
	}
}

func (h *host) ended(want ...string) {
	h.t.Helper()
	if got := h.reason(); !slices.Contains(want, got) {
		h.t.Errorf("the session ended with %q, want %q", got, want)
	}
}

func (h *host) wantSessions(n int) {
	h.t.Helper()
	check.Eventually(h.t, fmt.Sprint(n, " sessions"), func() bool { return h.server.Stats().Sessions == n })
}

type answer struct {
	status int
	body   string
	header http.Header
}

func (h *host) do(method, query, body string, headers ...string) answer {
	h.t.Helper()
	a, err := h.try(h.t.Context(), method, query, strings.NewReader(body), headers...)
	must(h.t, err)
	return a
}

func (h *host) try(ctx context.Context, method, query string, body io.Reader, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url+"/engine.io/?"+query, body)
	if err != nil {
		return answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, string(b), response.Header}, err
}

type polling struct {
	*host
	sid string
}

const hello = "EIO=4&transport=polling"

func (h *host) poll() polling {
	h.t.Helper()
	a := h.do("GET", hello, "")
	return polling{h, sid(h.t, a.body)}
}

func sid(t *testing.T, packet string) string {
	t.Helper()
	var o struct{ Sid string }
	if len(packet) == 0 || packet[0] != '0' || json.Unmarshal([]byte(packet[1:]), &o) != nil || o.Sid == "" {
		t.Fatalf("open packet %q", packet)
	}
	return o.Sid
}

func (p polling) query() string           { return "EIO=4&transport=polling&sid=" + p.sid }
func (p polling) get() answer             { p.t.Helper(); return p.do("GET", p.query(), "") }
func (p polling) post(body string) answer { p.t.Helper(); return p.do("POST", p.query(), body) }

func (p polling) later() chan answer {
	got := make(chan answer, 1)
	go func() {
		a, err := p.try(p.t.Context(), "GET", p.query(), nil)
		if err != nil {
			a.body = err.Error()
		}
		got <- a
	}()
	time.Sleep(30 * time.Millisecond) // so that it probably waits; the test must succeed in either order
	return got
}

func (h *host) expect(a answer, status int, body string) {
	h.t.Helper()
	if a.status != status || a.body != body {
		h.t.Fatalf("got %d %q, want %d %q", a.status, a.body, status, body)
	}
}

const unknown = `{"code":1,"message":"Session ID unknown"}`

type socket struct {
	t    *testing.T
	conn net.Conn
	r    io.Reader
}

func (h *host) dial(query string) socket {
	h.t.Helper()
	s, err := h.tryDial(query)
	must(h.t, err)
	return s
}

func (h *host) tryDial(query string) (socket, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), check.Limit)
	defer cancel()
	conn, from, err := socketiotest.DialWebsocket(ctx, h.url+"/engine.io/?"+query, nil)
	if err != nil {
		return socket{}, err
	}
	h.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(check.Limit))
	return socket{h.t, conn, from}, nil
}

func (h *host) websocket() socket {
	h.t.Helper()
	s := h.dial("EIO=4&transport=websocket")
	sid(h.t, s.next())
	return s
}

func (s socket) send(text string) { s.frame(ws.NewTextFrame([]byte(text))) }

func (s socket) frame(f ws.Frame) {
	s.t.Helper()
	f.Payload = append([]byte(nil), f.Payload...)
	ws.WriteFrame(s.conn, ws.MaskFrameInPlace(f)) // the server may have closed meanwhile
}

// next returns the next text, or a description of anything else that arrived.
func (s socket) next() string {
	s.t.Helper()
	f, err := socketiotest.ReadFrame(s.r)
	switch {
	case err != nil:
		return "cut"
	case f.Header.OpCode == ws.OpClose:
		code, reason := ws.ParseCloseFrameData(f.Payload)
		return strings.TrimSpace(fmt.Sprint("close ", code, " ", reason))
	case f.Header.OpCode == ws.OpBinary:
		return "binary " + string(f.Payload)
	case f.Header.OpCode == ws.OpPong:
		return "pong " + string(f.Payload)
	}
	return string(f.Payload)
}

func (s socket) want(texts ...string) {
	s.t.Helper()
	for _, want := range texts {
		got := s.next()
		for got == "2" && want != "2" { // the server sends a ping before a large message
			s.send("3")
			got = s.next()
		}
		if got != want {
			s.t.Fatalf("got %.100q, want %.100q", got, want)
		}
	}
}

func (s socket) wantEnd() {
	s.t.Helper()
	for {
		if got := s.next(); got == "cut" {
			return
		}
	}
}

// redial is a bare connection to the same address.
func (s socket) redial(h *host) socket {
	h.t.Helper()
	conn, err := net.Dial("tcp", s.conn.RemoteAddr().String())
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(check.Limit))
	return socket{h.t, conn, conn}
}

// skipResponse reads the HTTP response byte by byte, so that nothing after it is read.
func (s socket) skipResponse() {
	var seen []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(seen), "\r\n\r\n"); seen = append(seen, one...) {
		if _, err := s.conn.Read(one); err != nil {
			s.t.Fatal(err)
		}
	}
}
