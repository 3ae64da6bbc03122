package engine_test

import (
	"net"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

// This test is not parallel, because it counts the goroutines of the process.
func TestIdleWebsocketsNeedNoGoroutines(t *testing.T) {
	h := start(t, engine.Options{})
	before := runtime.NumGoroutine()
	var list []socket
	for range 50 {
		s := h.websocket()
		s.send("4first")
		s.want("4first")
		list = append(list, s)
	}
	check.Eventually(t, "fewer goroutines than websockets", func() bool { return runtime.NumGoroutine() < before+len(list)/2 })
	for i, s := range list {
		raw := ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte("4second"))))
		s.conn.Write(raw[:i%len(raw)]) // the rest follows while the server waits for it
		time.Sleep(time.Millisecond)
		s.conn.Write(raw[i%len(raw):])
		s.want("4second")
	}
	for i, s := range list {
		session, want := <-h.opened, engine.Transport
		if i%2 == 0 {
			s.conn.Close()
		} else {
			session.Close("dropped")
			s.want("close 1000 dropped", "cut")
			want = "dropped"
		}
		h.ended(want)
	}
	h.wantSessions(0)
}

// hidden are connections without a file descriptor of their own, as those of TLS.
type hidden struct{ net.Listener }

func (l hidden) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return struct{ net.Conn }{c}, err
}

func TestConnectionsWithoutFileDescriptor(t *testing.T) {
	t.Parallel()
	h := &host{t: t, opened: make(chan *engine.Session, 1), closed: make(chan string, 1)}
	h.server = engine.New(engine.Options{PingInterval: 20 * time.Millisecond, Open: func(s *engine.Session) engine.Receiver {
		h.opened <- s
		return mirror{h, s}
	}})
	web := httptest.NewUnstartedServer(h.server)
	web.Listener = hidden{web.Listener}
	web.Start()
	defer web.Close()
	h.url = web.URL
	s := h.websocket()
	for _, text := range []string{"4one", "4two"} {
		s.want("2")
		s.send("3")
		s.send(text)
		s.want(text)
	}
	(<-h.opened).Close("dropped")
	s.want("close 1000 dropped")
	h.ended("dropped")
}
