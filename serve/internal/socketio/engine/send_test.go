package engine_test

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

func text(s string) *engine.Message { return engine.NewMessage([]byte(s)) }

func TestReplace(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	s := <-h.opened
	s.Send(text("a"))
	s.Replace("live", text("old"))
	s.Replace("other", text("b"))
	s.Replace("live", text("new"))
	p.expect(p.get(), 200, "4a\x1e4b\x1e4new")
	if n := s.Queued(); n != 0 {
		t.Errorf("%d bytes queued", n)
	}
}

func TestSharedMessage(t *testing.T) {
	h := start(t, engine.Options{})
	m := engine.NewMessage([]byte("text"), []byte{1, 2}, []byte("three"))
	for range 3 {
		p := h.poll()
		(<-h.opened).Send(m)
		p.expect(p.get(), 200, "4text\x1ebAQI=\x1ebdGhyZWU=")
		s := h.websocket()
		(<-h.opened).Send(m)
		s.want("4text", "binary \x01\x02", "binary three")
	}
}

// A client that does not read is dropped, and the messages waiting for it are freed.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]engine.Options{
		"too much waiting": {MaxQueued: 1 << 20},
		"no progress":      {MaxQueued: 1 << 30, WriteTimeout: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, o)
			h.websocket()
			s, other := <-h.opened, h.websocket()
			m := text(strings.Repeat("x", 300_000))
			for range 2000 {
				if !s.Send(m) {
					break
				}
				time.Sleep(time.Millisecond)
			}
			h.ended(engine.Slow)
			if n := s.Queued(); n != 0 {
				t.Errorf("%d bytes still queued", n)
			}
			other.send("4a")
			other.want("4a")
			h.wantSessions(1)
		})
	}
	t.Run("polling", func(t *testing.T) {
		h := start(t, engine.Options{MaxQueued: 1000})
		p := h.poll()
		s := <-h.opened
		for s.Send(text(strings.Repeat("x", 100))) {
		}
		h.ended(engine.Slow)
		p.expect(p.get(), 200, "6\x1e1")
	})
}

// written waits until the server knows that everything has been written, which a client may
// notice earlier.
func written(s *engine.Session) {
	for s.Queued() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func TestLargeMessage(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{MaxQueued: 1000})
	c := h.websocket()
	large := strings.Repeat("x", 9_000_000) // beyond the system's buffers
	s := <-h.opened
	written(s)
	if !s.Send(text(large)) || s.Send(text(large)) {
		t.Fatal("only the first must be accepted")
	}
	h.reason()
	c.next()

	c = h.websocket()
	s = <-h.opened
	written(s)
	s.Send(text(large))
	c.want("4" + large)
	written(s)
	s.Send(text("a"))
	c.want("4a")
}

func TestWhenDrained(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{MaxQueued: 1 << 30})
	wait := func(c chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(check.Limit):
			t.Fatal("never drained")
		}
	}
	notify := func(s *engine.Session) chan struct{} {
		c := make(chan struct{})
		s.WhenDrained(func() { close(c) })
		return c
	}
	c := h.websocket()
	s := <-h.opened
	wait(notify(s)) // nothing has to be written
	const n, size = 20, 1 << 20
	for range n {
		s.Send(text(strings.Repeat("x", size)))
	}
	drained := notify(s)
	select {
	case <-drained:
		t.Fatalf("drained with %d bytes queued", s.Queued())
	case <-time.After(20 * time.Millisecond):
	}
	for range n {
		c.want("4" + strings.Repeat("x", size))
	}
	wait(drained)

	p := h.poll()
	s = <-h.opened
	s.Send(text("a"))
	drained = notify(s)
	p.get()
	wait(drained)
	s.Send(text("b"))
	drained = notify(s)
	s.Close("dropped")
	wait(drained)
	wait(notify(s))
}

func TestAfterTheEnd(t *testing.T) {
	h := start(t, engine.Options{})
	c := h.websocket()
	s := <-h.opened
	closed := make(chan struct{})
	s.WhenClosed(func() { close(closed) })
	c.send("1")
	h.reason()
	<-closed
	called := false
	s.WhenClosed(func() { called = true })
	if s.Send(text("a")) || s.Replace("k", text("a")) || !called || s.Queued() != 0 {
		t.Error("a session that has ended accepts something")
	}
	s.Close("again")
	if n := len(h.closed); n != 0 {
		t.Errorf("Closed was called %d more times", n)
	}
}
