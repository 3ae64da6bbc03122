package engine_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

// throttle returns the address of a proxy that limits the bytes from a host per second.
func (h *host) throttle(rate int) (url string) {
	h.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(h.t, err)
	h.t.Cleanup(func() { l.Close() })
	target := strings.TrimPrefix(h.url, "http://")
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				client.Close()
				return
			}
			go func() { io.Copy(server, client); server.Close() }()
			go func() { slowly(client, server, rate); client.Close(); server.Close() }()
		}
	}()
	return "http://" + l.Addr().String()
}

func slowly(to io.Writer, from io.Reader, rate int) {
	const tick = 5 * time.Millisecond
	part := make([]byte, rate*int(tick)/int(time.Second))
	for began, sent := time.Now(), 0; ; {
		n, err := from.Read(part)
		if _, gone := to.Write(part[:n]); err != nil || gone != nil {
			return
		}
		sent += n
		// After a short delay it catches up, but after more than a second it starts afresh.
		due := began.Add(time.Duration(sent) * time.Second / time.Duration(rate))
		if late := time.Since(due); late > time.Second {
			began = began.Add(late)
		}
		time.Sleep(time.Until(due))
	}
}

// A client that reads slowly but steadily is not disconnected, even if a message takes it
// longer than a ping may be unanswered. It gets pings between the messages, and each message
// is the newest at its time.
func TestSlowAndSteady(t *testing.T) {
	t.Parallel()
	const (
		rate, size = 160_000, 120_000 // three quarters of a second for each
		enough     = 5
	)
	o := engine.Options{PingInterval: 400 * time.Millisecond, PingTimeout: 400 * time.Millisecond, WriteTimeout: 400 * time.Millisecond}
	body := strings.Repeat("x", size)
	publish := func(s *engine.Session, stop chan struct{}) {
		for version := 1; ; version++ {
			s.Replace("live", text(fmt.Sprint(version, " ", body)))
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	for name, connect := range map[string]func(h *host) (next func() string, pong func()){
		"websocket": func(h *host) (func() string, func()) {
			s := h.websocket()
			s.conn.SetDeadline(time.Now().Add(6 * check.Limit))
			return s.next, func() { s.send("3") }
		},
		"polling": func(h *host) (func() string, func()) {
			p := h.poll()
			var arrived []string
			next := func() string {
				if len(arrived) == 0 {
					arrived = strings.Split(p.get().body, "\x1e")
				}
				first := arrived[0]
				arrived = arrived[1:]
				return first
			}
			return next, func() { p.post("3") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, o)
			h.url = h.throttle(rate)
			next, pong := connect(h)
			stop := make(chan struct{})
			defer close(stop)
			go publish(<-h.opened, stop)
			last, messages, pings := 0, 0, 0
			for messages < enough {
				packet := next()
				if packet == "2" {
					pings++
					pong()
					continue
				}
				var version int
				if _, err := fmt.Sscanf(packet, "4%d ", &version); err != nil || version <= last {
					t.Fatalf("behind %d messages and %d pings: %.40q", messages, pings, packet)
				}
				last = version
				messages++
			}
			if pings < messages-2 || last < 4*messages {
				t.Errorf("%d messages up to version %d, %d pings", messages, last, pings)
			}
			if n := len(h.closed); n > 0 {
				t.Errorf("closed: %s", <-h.closed)
			}
		})
	}
}
