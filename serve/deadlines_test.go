package serve_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/needs"
	"mkt/serve"
)

// sendPart opens a connection, sends a part of a request, and then nothing more.
func sendPart(t *testing.T, url, text string) net.Conn {
	t.Helper()
	c := dialTCP(t, url)
	_, err := io.WriteString(c, text)
	must(t, err)
	return c
}

// handshake returns a polling session that has not joined a namespace.
func (w *world) handshake() (sid string) {
	w.t.Helper()
	sid, err := w.openSession("")
	must(w.t, err)
	return sid
}

// incomplete returns requests that never end, by name. Each is answered with the status want
// or, if want is empty, possibly not at all. Then its connection is closed.
func (w *world) incomplete() map[string]struct{ text, want string } {
	token := "Authorization: Bearer " + w.token("acme") + "\r\n"
	list := map[string]struct{ text, want string }{
		"silent":        {"", ""},
		"half a line":   {"GET /api/v1/sta", "400"},
		"half a header": {"GET /api/v1/status HTTP/1.1\r\nHost: x\r\nX-A", ""},
	}
	bodies := map[string]string{
		"length":   "Content-Length: 10\r\n\r\n",
		"part":     "Content-Length: 10\r\n\r\n{",
		"chunks":   "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
		"expected": "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n",
		"large":    "Content-Length: 99999\r\n\r\n{",
	}
	for name, body := range bodies {
		add := func(method, path, want string) {
			list[fmt.Sprintf("%s of %s %s", name, method, path)] = struct{ text, want string }{method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + token + body, want}
		}
		large := name == "large"
		for _, path := range everyRoute("acme") {
			add("GET", "/api/v1"+path, map[bool]string{true: "413", false: "400"}[large])
		}
		add("POST", "/api/v1/fixtures", "405")
		add("OPTIONS", "/api/v1/fixtures", "204")
		add("GET", "/no/such/route", "404")
		add("PUT", "/no/such/route", "405")
		add("GET", "/realtime", "400")
		add("GET", "/realtime/?EIO=4&transport=polling", "400")
		add("POST", "/realtime/?EIO=4&transport=polling&sid=unknown", "400")
		add("OPTIONS", "/realtime/", "204")
		session := "/realtime/?EIO=4&transport=polling&sid=" + w.handshake()
		add("GET", session, "400")
		add("DELETE", session, "400")
		add("POST", "/realtime/?EIO=4&transport=polling&sid="+w.handshake(), map[bool]string{true: "413", false: "400"}[large])
	}
	return list
}

// Every phase of a request has a deadline: an incomplete request on any route is answered and
// closed, and nobody else waits for it.
func TestEveryPhaseHasADeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.edit = func(o *serve.Options) { o.SetReadTime(300 * time.Millisecond) }
	w.realtime.ConnectTimeout = time.Minute // the sessions outlive their requests
	w.add("acme", nil)
	w.publish("acme", 3, 3, 1)
	w.publishLive("acme", 3)
	w.start()
	conns := map[string]net.Conn{}
	list := w.incomplete()
	for name, c := range list {
		conns[name] = sendPart(t, w.url, c.text)
	}
	for name, c := range conns {
		said, err := io.ReadAll(c)
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Errorf("%s: still open, said %.60q", name, said)
			continue
		}
		said = bytes.TrimPrefix(said, []byte("HTTP/1.1 100 Continue\r\n\r\n"))
		if want := list[name].want; want != "" && !strings.HasPrefix(string(said), "HTTP/1.1 "+want) {
			t.Errorf("%s: said %.200q, want %s", name, said, want)
		}
	}
	t.Logf("%d connections, all closed", len(conns))
}

// A connection can still be used after an answer that took longer than a body may take.
func TestSlowAnswersKeepTheConnection(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 3)
	w.edit = func(o *serve.Options) { o.SetReadTime(100 * time.Millisecond) }
	w.start()
	c := sendPart(t, w.url, "")
	answers := bufio.NewReader(c)
	for _, r := range []struct{ path, body string }{
		{"/test/slow", "\r\n"}, {"/fixtures?limit=1", "\r\n"}, {"/test/slow", "Content-Length: 2\r\n\r\n{}"}, {"/fixtures?limit=2", "\r\n"},
	} {
		fmt.Fprintf(c, "GET /api/v1%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s", r.path, w.token("acme"), r.body)
		a, err := http.ReadResponse(answers, nil)
		must(t, err)
		body, err := io.ReadAll(a.Body)
		must(t, err)
		if a.StatusCode != 200 {
			t.Errorf("%s: %d %s", r.path, a.StatusCode, body)
		}
	}
}

// The admin address has deadlines too, and closes incomplete requests without an error.
func TestAdminHasDeadlines(t *testing.T) {
	t.Parallel()
	w := newWorld(t).start()
	var list []net.Conn
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/", "/none"} {
		list = append(list, sendPart(t, w.admin.URL(), "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n"))
	}
	for i, c := range list {
		if said, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 400") {
			t.Errorf("%d: %.100q, %v", i, said, err)
		}
	}
	for range 200 { // more than it accepts
		list = append(list, sendPart(t, w.admin.URL(), ""))
	}
	if status, _ := w.side("/livez"); status != http.StatusOK {
		t.Errorf("with 200 silent connections: %d", status)
	}
}

// A shutdown with incomplete requests takes no longer than their deadlines, and succeeds.
func TestDrainClosesIncompleteRequests(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 3)
	w.edit = func(o *serve.Options) { o.SetReadTime(time.Second) }
	w.start()
	var conns []net.Conn
	for _, c := range w.incomplete() {
		conns = append(conns, sendPart(t, w.url, c.text))
	}
	must(t, w.stop())
	for _, c := range conns {
		if _, err := io.Copy(io.Discard, c); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Fatal("a connection outlives the server")
			}
		}
	}
}

// Many incomplete requests from one address only use the connections of that address, and even
// there a complete request is answered.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const flood, other = "127.0.0.2", "127.0.0.3"
	needs.Loopback(t, flood)
	w := published(t, 3, 3)
	w.edit = func(o *serve.Options) { o.Connections = 40 }
	w.start()
	from := func(address string) *http.Client {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
	}
	ask := func(c *http.Client) int {
		a, err := c.Get(w.url + "/api/v1/status")
		if err != nil {
			return 0
		}
		a.Body.Close()
		return a.StatusCode
	}
	idle := from(other)
	if got := ask(idle); got != 200 {
		t.Fatal(got)
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(flood)}}
	for i := range 100 {
		c, err := d.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		must(t, err)
		defer c.Close()
		fmt.Fprint(c, []string{"", "GET /", "GET /api/v1/status HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"}[i%3])
	}
	eventually(t, "a quarter of the connections are left", func() bool { return w.metric("mkt_connections_evicted_total") >= 70-3 })
	for name, c := range map[string]*http.Client{"a connection of before": idle, "another address": from(other), "the same address": from(flood)} {
		if got := ask(c); got != 200 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if n := w.metric(`mkt_connections{state="waiting"}`) + w.metric(`mkt_connections{state="busy"}`); n > 33 {
		t.Errorf("%v connections", n)
	}
}

func TestLargeBodyIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	for _, size := range []int{16_385, 100_000, 1_000_000} {
		for name, body := range map[string]string{
			"length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat("4", size)),
			"chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("4", size)),
		} {
			for _, line := range []string{
				"POST /realtime/?EIO=4&transport=polling&sid=" + w.handshake(), "GET /api/v1/status", "POST /api/v1/status", "GET /nowhere",
			} {
				c := sendPart(t, w.url, line+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n"+body)
				said, err := io.ReadAll(c)
				if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 ") {
					t.Errorf("%s, %s of %d: %.40q, %v", line, name, size, said, err)
				}
			}
		}
	}
}
