package engine_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

func TestWebsocketEcho(t *testing.T) {
	h := start(t, engine.Options{MaxPayload: 1 << 20})
	s := h.websocket()
	for _, n := range []int{0, 1, 10, 20, 24, 30, 125, 126, 500, 65_535, 65_536, 1 << 19} {
		text := "4" + strings.Repeat("x", n)
		s.send(text)
		s.want(text)
		s.frame(ws.NewBinaryFrame([]byte(text)))
		s.want("binary " + text)
	}
}

// Bytes that arrive together with the request are not lost.
func TestEarlyFrames(t *testing.T) {
	h := start(t, engine.Options{})
	request, _ := http.NewRequest("GET", h.url+"/engine.io/?EIO=4&transport=websocket", nil)
	request.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
	var b bytes.Buffer
	request.Write(&b)
	for _, text := range []string{"4one", "4" + strings.Repeat("x", 300), "4three"} {
		ws.WriteFrame(&b, ws.MaskFrame(ws.NewTextFrame([]byte(text))))
	}
	s := h.dial("EIO=4&transport=websocket") // for its address
	raw := s.redial(h)
	raw.conn.Write(b.Bytes())
	raw.skipResponse()
	sid(t, raw.next())
	raw.want("4one", "4"+strings.Repeat("x", 300), "4three")
}

func TestFragments(t *testing.T) {
	h := start(t, engine.Options{MaxPayload: 100})
	s := h.websocket()
	s.frame(ws.NewFrame(ws.OpText, false, []byte("4on\xc3")))
	s.frame(ws.NewPingFrame([]byte("are you there")))
	s.frame(ws.NewFrame(ws.OpContinuation, false, nil))
	s.frame(ws.NewFrame(ws.OpContinuation, true, []byte("\xa9")))
	s.want("pong are you there", "4oné")
	s.frame(ws.NewFrame(ws.OpText, false, bytes.Repeat([]byte("4"), 60)))
	s.frame(ws.NewFrame(ws.OpContinuation, true, bytes.Repeat([]byte("4"), 60)))
	s.want("close 1009 protocol violation")
	s.wantEnd()
}

func TestWebsocketViolations(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		frame ws.Frame
		raw   []byte
		want  string
	}{
		"too large":             {frame: ws.NewTextFrame(bytes.Repeat([]byte("4"), 101)), want: "close 1009 protocol violation"},
		"announced as huge":     {raw: []byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, want: "close 1009 protocol violation"},
		"a length beyond all":   {raw: []byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, want: "close 1002 protocol violation"},
		"invalid UTF-8":         {frame: ws.NewTextFrame([]byte("4\xff")), want: "close 1007 protocol violation"},
		"reserved op code":      {frame: ws.NewFrame(3, true, nil), want: "close 1002 protocol violation"},
		"continues nothing":     {frame: ws.NewFrame(ws.OpContinuation, true, nil), want: "close 1002 protocol violation"},
		"large control frame":   {frame: ws.NewFrame(ws.OpPing, true, make([]byte, 126)), want: "close 1002 protocol violation"},
		"fragmented control":    {frame: ws.NewFrame(ws.OpPing, false, nil), want: "close 1002 protocol violation"},
		"reserved bits":         {frame: ws.Frame{Header: ws.Header{Fin: true, Rsv: 4, OpCode: ws.OpText, Length: 1}, Payload: []byte("4")}, want: "close 1002 protocol violation"},
		"not masked":            {raw: ws.MustCompileFrame(ws.NewTextFrame([]byte("4a"))), want: "close 1002 protocol violation"},
		"no packet":             {frame: ws.NewTextFrame([]byte("abc")), want: "close 1002 protocol violation"},
		"empty packet":          {frame: ws.NewTextFrame(nil), want: "close 1002 protocol violation"},
		"unknown packet":        {frame: ws.NewTextFrame([]byte("7")), want: "close 1002 protocol violation"},
		"ping from a client":    {frame: ws.NewTextFrame([]byte("2")), want: "close 1002 protocol violation"},
		"probe without upgrade": {frame: ws.NewTextFrame([]byte("2probe")), want: "close 1002 protocol violation"},
		"panic":                 {frame: ws.NewTextFrame([]byte("4panic")), want: "close 1011 handler panic"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{MaxPayload: 100})
			s := h.websocket()
			if c.raw != nil {
				s.conn.Write(c.raw)
			} else {
				s.frame(c.frame)
			}
			s.want(c.want)
			s.wantEnd()
			h.ended(engine.Protocol, engine.Panic)
		})
	}
}

func TestWebsocketEnds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		act  func(*host, socket)
		want string // as the client sees them first
	}{
		"close packet":      {func(_ *host, s socket) { s.send("1") }, "close 1000"},
		"close frame":       {func(_ *host, s socket) { s.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(4001, "bye"))) }, "close 4001"},
		"empty close frame": {func(_ *host, s socket) { s.frame(ws.NewCloseFrame(nil)) }, "close 1000"},
		"bad close frame":   {func(_ *host, s socket) { s.frame(ws.NewCloseFrame([]byte{1})) }, "close 1002"},
		"cut":               {func(_ *host, s socket) { s.conn.Close() }, "cut"},
		"by the server":     {func(h *host, _ socket) { (<-h.opened).Close(engine.Transport) }, "close 1000"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{})
			s := h.websocket()
			c.act(h, s)
			s.want(c.want)
			s.wantEnd()
			h.ended(engine.Transport)
			h.wantSessions(0)
		})
	}
}

// A burst of control pings is answered with limited memory, and the last one for certain.
func TestPingBurst(t *testing.T) {
	h := start(t, engine.Options{MaxQueued: 4096})
	s := h.websocket()
	for range 900 {
		s.frame(ws.NewPingFrame([]byte("one of many")))
	}
	s.frame(ws.NewPingFrame([]byte("last")))
	for got := s.next(); got != "pong last"; got = s.next() {
		if got == "cut" {
			t.Fatal("closed")
		}
	}
	s.send("4a")
	s.want("4a")
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	s, p := h.websocket(), h.poll()
	waiting := p.later()
	ctx, cancel := context.WithTimeout(t.Context(), check.Limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- h.server.Shutdown(ctx) }()
	s.want("close 1001 server shutdown")
	p.expect(<-waiting, 200, "1")
	for range 2 {
		h.ended(engine.Shutdown)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if a := h.do("GET", hello, ""); a.status != 503 {
		t.Errorf("got %+v", a)
	}
}

func TestShutdownPatience(t *testing.T) {
	release := make(chan struct{})
	h := start(t, engine.Options{Open: func(*engine.Session) engine.Receiver { return stuck(release) }})
	defer close(release)
	h.websocket()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := h.server.Shutdown(ctx); err == nil {
		t.Error("shut down before the receiver had returned")
	}
}

type stuck chan struct{}

func (stuck) Message([]byte, bool) error { return nil }
func (s stuck) Closed(string)            { <-s }
