package socketio_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/internal/testing/socketiotest"
	"mkt/serve/internal/socketio"
)

var must = check.Must

// recorder is a handler that reports its calls, and does as clients ask.
type recorder struct {
	events   chan string // "connect {auth}", "event name [args]", "disconnect reason"
	sockets  chan *socketio.Socket
	entering func(context.Context, *socketio.Socket) error // nil accepts everybody
}

func (r *recorder) Connect(ctx context.Context, s *socketio.Socket, auth json.RawMessage) error {
	r.events <- "connect " + string(auth)
	r.sockets <- s
	if r.entering != nil {
		return r.entering(ctx, s)
	}
	return nil
}

func (r *recorder) Event(s *socketio.Socket, name string, args []json.RawMessage, ack func(...any)) {
	var same []any
	for _, a := range args {
		same = append(same, a)
	}
	if list := s.Attachments(); list != nil {
		same = append(same, list)
	}
	switch {
	case name == "panic":
		panic("as asked")
	case ack != nil:
		ack(same...)
		ack("never sent")
	case name == "message":
		p, err := socketio.NewPacket("message-back", same...)
		if err != nil {
			panic(err)
		}
		s.Send(p)
	}
	r.events <- "event " + name
}

func (r *recorder) Disconnect(_ *socketio.Socket, reason string) { r.events <- "disconnect " + reason }

// host is a server with one recorder in each of two namespaces.
type host struct {
	*recorder
	t      *testing.T
	url    string
	server *socketio.Server
}

func start(t *testing.T, o socketio.Options) *host {
	t.Helper()
	h := &host{t: t, recorder: &recorder{events: make(chan string, 1000), sockets: make(chan *socketio.Socket, 1000)}}
	o.Namespaces = map[string]socketio.Handler{"/": h.recorder, "/custom": h.recorder}
	h.server = socketio.New(o)
	web := httptest.NewServer(h.server)
	h.url = web.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
		defer cancel()
		h.server.Shutdown(ctx)
		web.Close()
	})
	return h
}

func (h *host) wantCalls(want ...string) {
	h.t.Helper()
	for _, w := range want {
		select {
		case got := <-h.events:
			if got != w {
				h.t.Fatalf("called %q, want %q", got, w)
			}
		case <-time.After(check.Limit):
			h.t.Fatalf("no call %q", w)
		}
	}
}

type socket struct {
	t    *testing.T
	conn net.Conn
	r    io.Reader
}

func (h *host) eventually(holds func(socketio.Stats) bool) {
	h.t.Helper()
	check.Eventually(h.t, "the statistics", func() bool { return holds(h.server.Stats()) })
}

func (h *host) open() socket {
	h.t.Helper()
	conn, from, err := socketiotest.DialWebsocket(h.t.Context(), h.url+"/?EIO=4&transport=websocket", nil)
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(check.Limit))
	s := socket{h.t, conn, from}
	if f, err := socketiotest.ReadFrame(s.r); err != nil || !strings.HasPrefix(string(f.Payload), "0{") {
		h.t.Fatalf("open packet %q, %v", f.Payload, err)
	}
	return s
}

func (h *host) join() socket {
	h.t.Helper()
	s := h.open()
	s.send("0")
	s.wantJoined("")
	h.wantCalls("connect ")
	return s
}

func (s socket) wantJoined(namespace string) string {
	s.t.Helper()
	var o map[string]string
	text := s.next()
	rest, ok := strings.CutPrefix(text, "0"+namespace)
	if err := json.Unmarshal([]byte(rest), &o); !ok || err != nil || len(o) != 1 || o["sid"] == "" {
		s.t.Fatalf("got %q, want an acceptance", text)
	}
	return o["sid"]
}

func (s socket) send(text string)   { s.frame(ws.NewTextFrame([]byte("4" + text))) }
func (s socket) binary(data string) { s.frame(ws.NewBinaryFrame([]byte(data))) }

func (s socket) frame(f ws.Frame) {
	ws.WriteFrame(s.conn, ws.MaskFrame(f)) // the server may have closed meanwhile
}

func (s socket) next() string {
	s.t.Helper()
	f, err := socketiotest.ReadFrame(s.r)
	switch {
	case errors.Is(err, io.EOF) || err == nil && f.Header.OpCode == ws.OpClose:
		return "closed"
	case err != nil:
		return err.Error()
	case f.Header.OpCode == ws.OpBinary:
		return "binary " + string(f.Payload)
	case len(f.Payload) == 0 || f.Payload[0] != '4':
		s.t.Fatalf("got %q", f.Payload)
	}
	return string(f.Payload[1:])
}

func (s socket) want(texts ...string) {
	s.t.Helper()
	for _, want := range texts {
		if got := s.next(); got != want {
			s.t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func (h *host) do(method, query, body string) string {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+"/?EIO=4&transport=polling"+query, strings.NewReader(body))
	must(h.t, err)
	response, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	must(h.t, err)
	return string(b)
}
