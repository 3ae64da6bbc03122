package serve_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/serve"
)

// R2: a client that stops reading is dropped with a reason once nothing more can be written to
// it, while the others of its account get every snapshot.
func TestSocketThatNeverReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.realtime.WriteTimeout = 300 * time.Millisecond
	w.realtime.PingTimeout = time.Hour // the client answers no ping either, and a ping timeout must not come first
	w.add("acme", nil)
	w.publish("acme", 300, 1, 1)
	w.publishLive("acme", 240)
	w.start()
	stalled, err := w.dial("acme", func(o *socketiotest.Options) { o.Stalled = true })
	must(t, err)
	must(t, stalled.Emit("subscribe", map[string]any{"channel": "live"}))
	must(t, stalled.Emit("subscribe", map[string]any{"channel": "changes", "cursor": 0}))
	s, _ := w.connect("acme")
	s.ask("subscribe", map[string]any{"channel": "live"})
	const most = 1000 // the kernel's buffers take far less
	version := 2
	for ; !strings.Contains(w.log.String(), `reason="slow client"`); version++ {
		if version == most {
			t.Fatal("it is never dropped")
		}
		w.live("acme").Publish(servetest.LiveSamples("acme", 240, version, begin))
		if b := s.live(); len(b.Data) != 200 {
			t.Fatalf("a push of %d", len(b.Data))
		}
	}
	s.quiet()
	t.Logf("dropped after %d pushes", version-2)
}

// R2: thousands of connections that never join do not count for an account, are closed, and
// delay nobody.
func TestSocketsThatNeverAuthenticate(t *testing.T) {
	t.Parallel()
	n := 2000
	if testing.Short() {
		n = 200
	}
	w := published(t, 1, 1)
	w.realtime.ConnectTimeout, w.realtime.PingTimeout = 3*time.Second, 5*time.Second // a polling client can still read the reason of the end for this long
	w.start()
	idle, _ := w.connect("acme")
	var list []net.Conn
	for i := range n {
		c := dialTCP(t, w.url)
		list = append(list, c)
		if i%2 == 0 {
			fmt.Fprintf(c, "GET /realtime/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n")
			continue
		}
		fmt.Fprintf(c, "GET /realtime/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	}
	s, _ := w.connect("acme")
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK {
		t.Errorf("%+v", a)
	}
	sessions := func(transport string) float64 { return w.metric(`mkt_socket_sessions{transport="` + transport + `"}`) }
	most := sessions("websocket") + sessions("polling")
	ends := 0
	for i := 1; i < n; i += 2 { // a websocket that joins nothing is closed
		must(t, list[i].SetReadDeadline(time.Now().Add(check.Limit)))
		if _, err := io.Copy(io.Discard, list[i]); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Fatal("a websocket that joined nothing stays open")
			}
		}
		ends++
	}
	eventually(t, "only those that joined are left", func() bool { return sessions("websocket") == 2 && sessions("polling") == 0 })
	t.Logf("%d connections that join nothing: %.0f sessions at most, %d websockets closed, none left", n, most, ends)
	eventually(t, "all that joined nothing are gone", func() bool { return w.metric("mkt_socket_sessions_pending") == 0 })
	s.quiet()
	idle.quiet()
}

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

// R2: a message above the limit closes its own connection only.
func TestSocketBigMessage(t *testing.T) {
	t.Parallel()
	w := published(t, 1, 1).start()
	big := `42["subscribe","` + strings.Repeat("x", 16<<10) + `"]`
	for _, how := range [][]func(*socketiotest.Options){nil, {overPolling}} {
		other, _ := w.connect("acme")
		s, _ := w.connect("acme", how...)
		s.Send(big)
		s.ended()
		other.quiet()
	}
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
