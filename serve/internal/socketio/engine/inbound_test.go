package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/serve/internal/socketio/engine"
)

// known returns a server with trust in its clients.
func known(t *testing.T, o engine.Options) *host {
	t.Helper()
	var h *host
	o.Open = func(s *engine.Session) engine.Receiver {
		s.Trust()
		h.opened <- s
		return mirror{h, s}
	}
	h = start(t, o)
	return h
}

// paced are limits with which no message after the burst has its turn during a test.
var paced = engine.Options{Burst: 3, Pace: time.Hour, MaxBacklog: 4000}

// Of many messages the burst is handled, and the rest wait for their turn: none is lost, and
// their order does not change.
func TestBurst(t *testing.T) {
	t.Parallel()
	const n = 300
	var packets []string
	for i := range n {
		packets = append(packets, fmt.Sprint("4message ", i))
	}
	h := known(t, engine.Options{Burst: 20, Pace: 100 * time.Microsecond})
	s := h.websocket()
	for _, p := range packets {
		s.send(p)
	}
	s.want(packets...)
	p := h.poll()
	p.expect(p.post(strings.Join(packets, "\x1e")), 200, "ok") // as a client that does not know the limit of a packet
	var got []string
	for len(got) < n {
		got = append(got, strings.Split(p.get().body, "\x1e")...)
	}
	if fmt.Sprint(got) != fmt.Sprint(packets) {
		t.Errorf("%d messages: %.200q", len(got), got)
	}
}

// While messages wait for their turn, pings are answered and a disconnection is noticed.
func TestHeartbeatDuringAFlood(t *testing.T) {
	t.Parallel()
	o := paced
	o.PingInterval, o.PingTimeout = 30*time.Millisecond, 5*time.Second
	h := known(t, o)
	flood := make([]string, 20)
	for i := range flood {
		flood[i] = "4a"
	}
	ends := map[string]func(s socket){
		"close frame":  func(s socket) { s.frame(ws.NewCloseFrame(nil)) },
		"close packet": func(s socket) { s.send("1") },
		"cut":          func(s socket) { s.conn.Close() },
	}
	for _, end := range ends {
		s := h.websocket()
		for _, packet := range flood {
			s.send(packet)
		}
		s.want("4a", "4a", "4a")
		for range 3 {
			s.want("2")
			s.send("3")
		}
		end(s)
		h.ended(engine.Transport)
	}
	p := h.poll()
	p.expect(p.post(strings.Join(flood, "\x1e")), 200, "ok")
	p.expect(p.get(), 200, "4a\x1e4a\x1e4a")
	for range 3 {
		p.expect(p.get(), 200, "2")
		p.expect(p.post("3"), 200, "ok")
	}
	p.expect(p.post("4b\x1e1"), 200, "ok")
	h.ended(engine.Transport)
	h.wantSessions(0)
}

// A slow receiver delays neither pongs nor the noticing of a disconnection.
func TestEndDuringABusyReceiver(t *testing.T) {
	t.Parallel()
	release, called := make(chan struct{}), make(chan struct{})
	var h *host
	h = start(t, engine.Options{Open: func(s *engine.Session) engine.Receiver { return slow{mirror{h, s}, called, release} }})
	s := h.websocket()
	s.send("4a")
	<-called
	s.send("4b")
	s.conn.Close()
	h.wantSessions(0)
	close(release)
	h.ended(engine.Transport)
}

func TestFlood(t *testing.T) {
	t.Parallel()
	flood := strings.TrimSuffix(strings.Repeat("4\x1e", 1100), "\x1e")
	t.Run("websocket", func(t *testing.T) {
		h := known(t, paced)
		s := h.websocket()
		for _, packet := range strings.Split(flood, "\x1e") {
			s.send(packet)
		}
		s.wantEnd()
		h.ended(engine.Flood)
	})
	t.Run("polling", func(t *testing.T) {
		h := known(t, paced)
		p := h.poll()
		if a := p.post(flood); a.status != 400 {
			t.Errorf("%+v", a)
		}
		p.expect(p.get(), 200, "6\x1e1")
		h.ended(engine.Flood)
	})
	t.Run("untrusted client", func(t *testing.T) {
		o := paced
		o.Burst = 200
		h := start(t, o)
		s := h.websocket()
		for range 250 {
			s.send("4")
		}
		s.wantEnd()
		h.ended(engine.Flood)
	})
}

// A polling body of a trusted client may be larger than one packet may be.
func TestBodyOfManyPackets(t *testing.T) {
	t.Parallel()
	o := engine.Options{MaxPayload: 100}
	packet := "4" + strings.Repeat("x", 99)
	body := strings.TrimSuffix(strings.Repeat(packet+"\x1e", 7), "\x1e")
	p := known(t, o).poll()
	p.expect(p.post(body), 200, "ok")
	p.expect(p.get(), 200, body)
	for name, c := range map[string]struct {
		h    *host
		body string
	}{
		"a packet above the limit":  {known(t, o), packet + "x"},
		"among others":              {known(t, o), packet + "\x1e" + packet + "x\x1e" + packet},
		"a body above its limit":    {known(t, o), body + "\x1e" + body},
		"many packets, untrusted":   {start(t, o), packet + "\x1e4"},
		"a large packet, untrusted": {start(t, o), packet + "x"},
		"binary, in more than 100":  {known(t, o), "b" + strings.Repeat("AAAA", 25)},
		"a large body, untrusted":   {start(t, o), body},
	} {
		p := c.h.poll()
		if a := p.post(c.body); a.status != 413 {
			t.Errorf("%s: %+v", name, a)
		}
		c.h.ended(engine.Protocol)
		var chunked io.Reader = io.MultiReader(strings.NewReader(c.body)) // without a Content-Length
		p = c.h.poll()
		if a, err := p.try(t.Context(), "POST", p.query(), chunked); err != nil || a.status != 413 {
			t.Errorf("%s, chunked: %+v, %v", name, a, err)
		}
		c.h.reason()
	}
}
