package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/serve"
)

// Many handshakes from one address do not prevent those of others, also behind a proxy; and
// even from that address a client that joins at once is accepted.
func TestSocketHandshakeFlood(t *testing.T) {
	t.Parallel()
	const attackers, others = "192.0.2.1", "192.0.2.2"
	w := newWorld(t)
	w.edit = func(o *serve.Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		o.Realtime.Pending, o.Realtime.PendingOfPeer = 40, 10
	}
	w.realtime.ConnectTimeout = time.Minute
	w.add("acme", nil)
	w.start()
	early, err := w.openSession(others)
	must(t, err)
	for range 200 {
		_, err := w.openSession("198.51.100.9, " + attackers) // a client's own header stands in front
		must(t, err)
	}
	if n, evicted := w.metric("mkt_socket_sessions_pending"), w.metric("mkt_socket_sessions_evicted_total"); n != 11 || evicted != 190 {
		t.Errorf("%v wait, %v were evicted", n, evicted)
	}
	a, err := client.Post(w.url+"/realtime/?EIO=4&transport=polling&sid="+early, "text/plain", strings.NewReader("40"))
	must(t, err)
	a.Body.Close()
	if a.StatusCode != 200 {
		t.Errorf("who came before from another address: %d", a.StatusCode)
	}
	for _, from := range []string{others, attackers, ""} {
		s, _ := w.connect("acme", withHeader("X-Forwarded-For", from))
		s.Close()
	}
	if n := w.metric("mkt_socket_sessions_refused_total"); n != 0 {
		t.Errorf("%v were refused", n)
	}
}

// openSession makes a handshake with the client's address as a proxy sends it, and returns
// its sid.
func (w *world) openSession(from string) (sid string, err error) {
	q, err := http.NewRequest("GET", w.url+"/realtime/?EIO=4&transport=polling", nil)
	if err != nil {
		return "", err
	}
	q.Header.Set("X-Forwarded-For", from)
	a, err := client.Do(q)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(body), `"sid":"`)
	if !ok {
		return "", fmt.Errorf("%d %s", a.StatusCode, body)
	}
	sid, _, _ = strings.Cut(rest, `"`)
	return sid, nil
}

// A browser on any origin can read its refusal: the transport allows all origins, and methods
// that the API does not.
func TestSocketAcrossOrigins(t *testing.T) {
	t.Parallel()
	w := shared(t)
	for _, method := range []string{"GET", "OPTIONS"} {
		q, err := http.NewRequest(method, w.url+"/realtime/?EIO=4&transport=polling", nil)
		must(t, err)
		q.Header.Set("Origin", "https://anywhere.example")
		q.Header.Set("Access-Control-Request-Method", "POST")
		a, err := client.Do(q)
		must(t, err)
		a.Body.Close()
		allowed := a.Header.Get("Access-Control-Allow-Origin")
		if a.StatusCode >= 300 || allowed != "*" && allowed != "https://anywhere.example" {
			t.Errorf("%s: %d %v", method, a.StatusCode, a.Header)
		}
		if a.Header.Get("X-Request-Id") == "" || a.Header.Get("RateLimit") != "" {
			t.Errorf("%s: %v", method, a.Header)
		}
	}
}

func TestSocketUpgradeHasARequestID(t *testing.T) {
	t.Parallel()
	w := shared(t)
	const ask = "GET /realtime/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
	for key, want := range map[string]int{"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n": 101, "": 400} {
		a, _ := raw(t, w, ask+key+"\r\n")
		if a.StatusCode != want || a.Header.Get("X-Request-Id") != "mine" {
			t.Errorf("%d %v, want %d", a.StatusCode, a.Header, want)
		}
	}
}

func TestSocketsLeaveNothing(t *testing.T) {
	w := newWorld(t)
	for i := range 10 {
		w.add(fmt.Sprint("acme-", i), nil)
	}
	w.start()
	churn := func(rounds int) {
		var wait sync.WaitGroup
		for i := range 10 {
			wait.Go(func() {
				for n := range rounds {
					s, _ := w.connect(fmt.Sprint("acme-", i), transport(n%3 == 0))
					s.ask("subscribe", map[string]any{"channel": "live"})
					s.Close()
					eventually(t, "the connection is released", func() bool { // eight at most
						s, err := w.dial(fmt.Sprint("acme-", i))
						if err == nil {
							s.Close()
						}
						return err == nil
					})
				}
			})
		}
		wait.Wait()
	}
	churn(5)
	before := 0
	eventually(t, "it is quiet", func() bool {
		last := before
		before = runtime.NumGoroutine()
		time.Sleep(50 * time.Millisecond)
		return last == before
	})
	churn(50)
	eventually(t, "as many goroutines as before", func() bool { client.CloseIdleConnections(); return runtime.NumGoroutine() <= before+5 })
}
