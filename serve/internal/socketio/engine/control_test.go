package engine_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/serve/internal/socketio/engine"
)

// untilCut sends frames at an interval until the server closes the connection, without reading.
func (s socket) untilCut(every time.Duration, f ws.Frame) (sent int) {
	s.t.Helper()
	raw, err := ws.CompileFrame(ws.MaskFrame(f))
	must(s.t, err)
	go io.Copy(io.Discard, s.conn)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); sent++ {
		s.conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
		switch _, err := s.conn.Write(raw); {
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
			s.t.Fatal(err)
		case err != nil:
			return sent
		}
		time.Sleep(every)
	}
	s.t.Fatal("the connection is open after 20 s")
	return 0
}

func TestEndedSessionClosesItsConnection(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]ws.Frame{
		"ping":     ws.NewPingFrame(nil),
		"pong":     ws.NewPongFrame(nil),
		"fragment": ws.NewFrame(ws.OpContinuation, false, nil),
		"message":  ws.NewTextFrame([]byte("4x")),
		"noop":     ws.NewTextFrame([]byte("6")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, engine.Options{})
			s := h.websocket()
			if name == "fragment" {
				s.frame(ws.NewFrame(ws.OpText, false, []byte("4")))
				s.frame(ws.NewPingFrame(nil))
				s.want("pong ")
			}
			(<-h.opened).Close("dropped")
			s.untilCut(50*time.Millisecond, f)
		})
	}
}

// The rate of frames other than messages is limited too, and exceeding it ends the session.
func TestControlFramesAreBounded(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]ws.Frame{
		"ping": ws.NewPingFrame(nil), "pong": ws.NewPongFrame([]byte("x")), "fragment": ws.NewFrame(ws.OpContinuation, false, nil),
		"engine pong": ws.NewTextFrame([]byte("3")), "noop": ws.NewTextFrame([]byte("6")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, engine.Options{})
			s := h.websocket()
			if name == "fragment" {
				s.frame(ws.NewFrame(ws.OpText, false, []byte("4")))
			}
			for range 500 { // a burst is not a flood
				s.frame(f)
			}
			s.frame(ws.NewPingFrame([]byte("still there")))
			for got := s.next(); got != "pong still there"; got = s.next() {
				if got == "cut" {
					t.Fatal("closed after a burst")
				}
			}
			s.untilCut(0, f)
			h.ended(engine.Flood)
		})
	}
}
