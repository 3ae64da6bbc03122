package listen_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"mkt/internal/listen"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

var must = check.Must

// host is a server whose handler of /hold waits until release is closed.
type host struct {
	t       *testing.T
	address string
	l       *listen.Listener
	held    chan struct{}
	release chan struct{}
}

func start(t *testing.T, o listen.Options) *host {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	h := &host{t: t, address: inner.Addr().String(), l: listen.New(inner, o), held: make(chan struct{}, 100), release: make(chan struct{})}
	server := &http.Server{ConnState: h.l.ConnState, ConnContext: h.l.ConnContext, Handler: http.HandlerFunc(h.serve)}
	go server.Serve(h.l)
	t.Cleanup(func() { server.Close() })
	return h
}

func (h *host) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/hold":
		h.held <- struct{}{}
		<-h.release
	case "/body":
		h.held <- struct{}{}
		io.Copy(io.Discard, listen.FromContext(r.Context()).Body(r.Body))
	case "/large":
		w.Write(make([]byte, 50<<20))
	case "/hijack":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
		go func() { io.Copy(io.Discard, conn); conn.Close() }()
	}
}

func (h *host) dial(from, text string) net.Conn {
	h.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", h.address)
	must(h.t, err)
	h.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(check.Limit))
	io.WriteString(c, text)
	return c
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" }

func status(c net.Conn) int {
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	a.Body.Close()
	return a.StatusCode
}

func closed(c net.Conn) bool {
	_, err := io.Copy(io.Discard, c)
	e, ok := err.(net.Error)
	return !ok || !e.Timeout()
}

func (h *host) eventually(what string, holds func(listen.Stats) bool) {
	h.t.Helper()
	check.Eventually(h.t, what, func() bool { return holds(h.l.Stats()) })
}

const here = "127.0.0.1"

// A connection for which the server waits is closed in favour of a new request: a silent
// one, one with half a request, an idle one, one whose body does not arrive.
func TestWaitingConnectionsAreEvicted(t *testing.T) {
	for name, text := range map[string]string{
		"silent":        "",
		"half a line":   "GET /",
		"half a header": "GET / HTTP/1.1\r\nHost",
		"idle":          get("/"),
		"no body":       "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, listen.Options{Max: 4})
			var list []net.Conn
			for range 10 {
				c := h.dial(here, text)
				switch name {
				case "idle":
					status(c)
				case "no body":
					<-h.held
				}
				n := len(list)
				h.eventually("it is counted", func(s listen.Stats) bool { return s.Waiting == min(n+1, 4) })
				list = append(list, c)
			}
			if got := status(h.dial(here, get("/"))); got != 200 {
				t.Errorf("a request is answered with %d", got)
			}
			for i, c := range list[:7] {
				if !closed(c) {
					t.Errorf("connection %d, among the oldest, is still open", i)
				}
			}
			if s := h.l.Stats(); s.Open > 4 || s.Evicted != 7 || s.Refused != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Connections on which requests are being answered are not closed, nor are hijacked ones:
// the new connection is refused instead.
func TestAnsweredConnectionsAreKept(t *testing.T) {
	h := start(t, listen.Options{Max: 2, Refusal: func() []byte { return []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n") }})
	slow := h.dial(here, get("/hold"))
	<-h.held
	taken := h.dial(here, get("/hijack"))
	if got := status(taken); got != 101 {
		t.Fatal(got)
	}
	if got := status(h.dial(here, get("/"))); got != 503 {
		t.Errorf("beyond the bound: %d, want 503", got)
	}
	close(h.release)
	if got := status(slow); got != 200 {
		t.Errorf("the slow request is answered with %d", got)
	}
	taken.Close()
	h.eventually("its place is free", func(s listen.Stats) bool { return s.Open == 1 })
	if got := status(h.dial(here, get("/"))); got != 200 {
		t.Errorf("below the limit: %d", got)
	}
	if s := h.l.Stats(); s.Refused != 1 || s.Evicted != 0 {
		t.Errorf("%+v", s)
	}
}

// A connection whose client does not read its answer is closed for a new one as well.
func TestStalledAnswersAreEvicted(t *testing.T) {
	h := start(t, listen.Options{Max: 3, Stall: 10 * time.Millisecond})
	for range 2 {
		h.dial(here, get("/large"))
	}
	taken := h.dial(here, get("/hijack"))
	if got := status(taken); got != 101 {
		t.Fatal(got)
	}
	h.eventually("all are busy", func(s listen.Stats) bool { return s.Open == 3 && s.Waiting == 0 })
	check.Eventually(t, "a request is answered", func() bool { return status(h.dial(here, get("/"))) == 200 })
	if s := h.l.Stats(); s.Evicted != 1 {
		t.Errorf("%+v", s)
	}
}

// The connections of one address do not displace those of another, unless it is a proxy.
func TestOneAddress(t *testing.T) {
	const flood, proxy, other = "127.0.0.2", "127.0.0.3", "127.0.0.4"
	needs.Loopback(t, flood)
	h := start(t, listen.Options{Max: 10, PerPeer: 3, Exempt: func(a netip.Addr) bool { return a.String() == proxy }})
	idle := h.dial(other, get("/"))
	status(idle)
	for range 20 {
		h.dial(flood, "")
	}
	h.eventually("the flood keeps three places", func(s listen.Stats) bool { return s.Open == 4 && s.Evicted == 17 })
	for i := range 5 {
		h.dial(proxy, "")
		h.eventually("the proxy has as many as it needs", func(s listen.Stats) bool { return s.Open == 5+i })
	}
	if io.WriteString(idle, get("/")); status(idle) != 200 {
		t.Error("the connection of another address is gone")
	}
	for range 3 {
		h.dial(flood, get("/hold")) // in the places of the silent ones
		<-h.held
	}
	if got := status(h.dial(flood, get("/"))); got != 0 {
		t.Errorf("a fourth request at once: %d", got)
	}
	if s := h.l.Stats(); s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	close(h.release)
}

func TestClient(t *testing.T) {
	var proxies listen.Proxies
	for _, p := range []string{"127.0.0.0/8", "10.0.0.0/8", "::1/128"} {
		proxies = append(proxies, netip.MustParsePrefix(p))
	}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:99", "", "192.0.2.1"},
		{"192.0.2.1:99", "198.51.100.7", "192.0.2.1"}, // not from a proxy
		{"127.0.0.1:99", "", "127.0.0.1"},
		{"127.0.0.1:99", "198.51.100.7", "198.51.100.7"},
		{"127.0.0.1:99", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // the first one was sent by the client itself
		{"127.0.0.1:99", "203.0.113.9, 198.51.100.7, 10.1.1.1", "198.51.100.7"},
		{"127.0.0.1:99", "203.0.113.9|198.51.100.7,10.1.1.1", "198.51.100.7"},
		{"127.0.0.1:99", "203.0.113.9, nonsense", "127.0.0.1"},
		{"127.0.0.1:99", "nonsense, 10.1.1.1", "10.1.1.1"},
		{"127.0.0.1:99", "10.1.1.1", "10.1.1.1"},
		{"127.0.0.1:99", "198.51.100.7:4711", "198.51.100.7"},
		{"[::1]:99", "[2001:db8::1]:4711", "2001:db8::1"},
		{"[::1]:99", "2001:db8::1", "2001:db8::1"},
		{"[::ffff:10.0.0.1]:99", "::ffff:198.51.100.7", "198.51.100.7"},
		{"[fe80::1%eth0]:99", "", "fe80::1"},
		{"@", "", "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{}}
		for _, line := range strings.Split(c.forwarded, "|") {
			r.Header.Add("X-Forwarded-For", line)
		}
		if c.forwarded == "" {
			r.Header = http.Header{}
		}
		if got := proxies.Client(r).String(); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2:ffff::": "2001:db8:1:2::",
	} {
		if got := fmt.Sprint(listen.Network(netip.MustParseAddr(address))); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if listen.Network(netip.Addr{}).IsValid() {
		t.Error("no address has a network")
	}
}
