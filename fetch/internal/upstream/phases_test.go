package upstream

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// meets is how often each fault of each phase is met.
func meets() int {
	if testing.Short() {
		return 1
	}
	return 20
}

// tcp does something to every connection; it counts them.
func tcp(t *testing.T, do func(*net.TCPConn)) (address string, connections *atomic.Int64) {
	t.Helper()
	connections = new(atomic.Int64)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go do(conn.(*net.TCPConn))
		}
	}()
	return l.Addr().String(), connections
}

// saysThen reads a request, says something, and breaks off or keeps the connection.
func saysThen(text string, breaks bool) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		conn.Read(make([]byte, 4096))
		conn.Write([]byte(text))
		if breaks {
			time.Sleep(5 * time.Millisecond) // for the part that is to be read before
			conn.SetLinger(0)
			conn.Close()
			return
		}
		conn.Read(make([]byte, 4096)) // until the other side gives up
		conn.Close()
	}
}

// full is an address at which there is no room for another connection.
func full(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
	for range 100 {
		conn, err := net.DialTimeout("tcp", at.String(), 200*time.Millisecond)
		if err != nil {
			return at.String()
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatal("there is always room for one more connection")
	return ""
}

// askDNS is a resolver that asks at an address.
func askDNS(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", address)
	}}
}

// Refused, broken off and silent, in every phase where this can happen: the reason
// is one of a fixed set, the try is repeated if that can help, within the
// phase's time, and the bytes received are archived as refused and never used.
func TestFaultsOfEveryPhase(t *testing.T) {
	const (
		oneLine    = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		halfHeader = "HTTP/1.1 200 OK\r\nContent-Ty" // net/http finds the colon missing before it finds the connection gone
		halfBody   = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"success\":1,"
	)
	silentDNS, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silentDNS.Close() })
	for _, c := range []struct {
		phase, fault string
		scheme       string
		do           func(*net.TCPConn) // nil: nobody is connected to
		want         *failure
		tries, kept  int
	}{
		{"name", "refused", "https", nil, noName, 2, 0},
		{"name", "timeout", "https", nil, timedOut, 2, 0},
		{"connect", "refused", "http", nil, refused, 2, 0},
		{"connect", "timeout", "http", nil, timedOut, 2, 0},
		{"handshake", "refused", "https", saysThen("\x15\x03\x03\x00\x02\x02\x28", false), badTLS, 1, 0},
		{"handshake", "reset", "https", saysThen("", true), reset, 2, 0},
		{"handshake", "timeout", "https", saysThen("", false), timedOut, 2, 0},
		{"header", "reset before", "http", saysThen("", true), reset, 2, 0},
		{"header", "reset in", "http", saysThen(oneLine, true), reset, 2, 0},
		{"header", "reset in a line", "http", saysThen(halfHeader, true), badHTTP, 2, 0},
		{"header", "timeout before", "http", saysThen("", false), timedOut, 2, 0},
		{"header", "timeout in", "http", saysThen(halfHeader, false), timedOut, 2, 0},
		{"body", "reset", "http", saysThen(halfBody, true), reset, 2, 2},
		{"body", "timeout", "http", saysThen(halfBody, false), tooSlow, 1, 1},
	} {
		t.Run(c.phase+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			base, connections := "tiny.example", new(atomic.Int64)
			var resolver *net.Resolver
			switch {
			case c.do != nil:
				base, connections = tcp(t, c.do)
			case c.phase == "name" && c.fault == "timeout":
				resolver = askDNS(silentDNS.LocalAddr().String())
			case c.phase == "name":
				resolver = askDNS("127.0.0.1:9") // nobody is there
			case c.fault == "refused":
				base = closedPort(t)
			default:
				base = full(t)
			}
			limit := 30 * time.Second // of each phase, where nothing is silent
			if strings.HasPrefix(c.fault, "timeout") {
				limit = 150 * time.Millisecond
			}
			for n := range meets() {
				before := connections.Load()
				b := newBench(t, c.scheme+"://"+base, func(o *Options) {
					o.Limits.Tries, o.Resolver = 2, resolver
					o.Limits.Connect, o.Limits.TLS, o.Limits.Header, o.Limits.Window, o.Limits.Body, o.Limits.Run = limit, limit, limit, limit, 2*limit, time.Minute
				})
				began := time.Now()
				_, err := b.ask(t.Context())
				if !errors.Is(err, provider.ErrUnreachable) || !strings.Contains(err.Error(), c.want.text) {
					t.Fatalf("%d: %v, want %q", n, err, c.want.text)
				}
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("%d: took %v", n, took)
				}
				if tried := int(connections.Load() - before); c.do != nil && tried != c.tries {
					t.Errorf("%d: tried %d times, want %d", n, tried, c.tries)
				}
				if len(b.kept) != c.kept {
					t.Errorf("%d: kept %d answers, want %d", n, len(b.kept), c.kept)
				}
				for _, a := range b.kept {
					if a.Verdict.Kind != provider.Retryable || a.Verdict.Code != c.want.code || string(a.Body) != `{"success":1,` {
						t.Errorf("%d: kept %+v", n, a)
					}
				}
			}
			t.Logf("%d times: %s", meets(), c.want.text)
		})
	}
}

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
