package engine_test

import (
	"testing"
	"time"

	"mkt/serve/internal/socketio/engine"
)

// late ends a session soon after a missing pong, but leaves a busy machine time for what comes before.
var late = engine.Options{PingInterval: time.Second, PingTimeout: time.Second}

func TestPingTimeout(t *testing.T) {
	t.Parallel()
	t.Run("polling", func(t *testing.T) {
		t.Parallel()
		h := start(t, late)
		p := h.poll()
		p.expect(p.get(), 200, "2")
		p.expect(p.get(), 200, "1")
		h.ended(engine.Ping)
		p.expect(p.get(), 400, unknown)
	})
	t.Run("polling, gone without a trace", func(t *testing.T) {
		t.Parallel()
		h := start(t, late)
		p := h.poll()
		h.ended(engine.Ping)
		p.expect(p.get(), 400, unknown)
	})
	t.Run("websocket", func(t *testing.T) {
		t.Parallel()
		h := start(t, late)
		s := h.websocket()
		s.want("2", "cut")
		h.ended(engine.Ping)
	})
	t.Run("behind an upgrade", func(t *testing.T) {
		t.Parallel()
		h := start(t, late)
		s := h.poll().upgraded()
		s.want("2", "cut")
		h.reason()
	})
}

// The heartbeat continues across an upgrade, even if a ping is unanswered.
func TestHeartbeatAcrossUpgrade(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{PingInterval: 50 * time.Millisecond, PingTimeout: 5 * time.Second})
	p := h.poll()
	p.expect(p.get(), 200, "2")
	s := p.upgraded()
	s.send("3")
	for range 3 {
		s.want("2")
		s.send("3")
	}
	q := h.poll()
	time.Sleep(80 * time.Millisecond) // its ping waits, and leaves by the websocket
	s = q.probe()
	s.send("2probe")
	s.want("3probe")
	s.send("5")
	for range 3 {
		s.want("2")
		s.send("3")
	}
}

// Another packet extends the wait for the pong, but only once.
func TestBusyClient(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{PingInterval: 20 * time.Millisecond, PingTimeout: 300 * time.Millisecond})
	s := h.websocket()
	s.want("2")
	for range 50 {
		s.send("4busy")
		time.Sleep(20 * time.Millisecond)
	}
	h.ended(engine.Ping)
}

func TestBusyReceiver(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	called := make(chan struct{})
	o := engine.Options{PingInterval: 20 * time.Millisecond, PingTimeout: time.Second}
	var h *host
	o.Open = func(s *engine.Session) engine.Receiver { return slow{mirror{h, s}, called, release} }
	h = start(t, o)
	s := h.websocket()
	s.send("4a")
	<-called
	time.Sleep(2 * time.Second)
	if n := h.server.Stats().Sessions; n != 1 {
		t.Error("the session has ended")
	}
	close(release)
}

type slow struct {
	mirror
	called, release chan struct{}
}

func (s slow) Message(data []byte, binary bool) error {
	close(s.called)
	<-s.release
	return s.mirror.Message(data, binary)
}
