package engine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/serve/internal/socketio/engine"
)

func TestPollingEcho(t *testing.T) {
	h := start(t, engine.Options{MaxPayload: 1 << 20})
	large := "4" + strings.Repeat("é€😀", 50_000)
	for name, body := range map[string]string{
		"one":               "4hello",
		"empty":             "4",
		"three":             "4one\x1e4two\x1e4three",
		"binary":            "4hello\x1ebAQIDBA==",
		"lone binary":       "bAQIDBA==",
		"UTF-8":             "4é€😀",
		"large":             large,
		"noop between":      "4a\x1e6\x1e4b",
		"unsolicited pongs": "3\x1e4a\x1e3probe",
	} {
		t.Run(name, func(t *testing.T) {
			p := h.poll()
			h.expect(p.post(body), 200, "ok")
			want := strings.NewReplacer("\x1e6", "", "3\x1e", "", "\x1e3probe", "").Replace(body)
			h.expect(p.get(), 200, want)
		})
	}
}

func TestPollingHeaders(t *testing.T) {
	p := start(t, engine.Options{}).poll()
	a := p.post("4a")
	if a.header.Get("Content-Type") != "text/html" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("push: %v", a.header)
	}
	a = p.get()
	if a.header.Get("Content-Type") != "text/plain; charset=UTF-8" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("poll: %v", a.header)
	}
}

func TestChunkedUpload(t *testing.T) {
	t.Parallel()
	p := start(t, engine.Options{}).poll()
	read, write := io.Pipe()
	go func() {
		for _, part := range []string{"4on", "e\x1e", "4\xc3", "\xa9"} {
			io.WriteString(write, part)
			time.Sleep(200 * time.Millisecond) // all in all beyond the outer server's timeout
		}
		write.Close()
	}()
	a, err := p.try(t.Context(), "POST", p.query(), read)
	must(t, err)
	p.expect(a, 200, "ok")
	p.expect(p.get(), 200, "4one\x1e4é")
}

func TestWaitingPoll(t *testing.T) {
	t.Parallel()
	p := start(t, engine.Options{}).poll()
	waiting := p.later()
	time.Sleep(700 * time.Millisecond) // beyond the outer server's timeouts
	p.expect(p.post("4a"), 200, "ok")
	p.expect(<-waiting, 200, "4a")
	again := p.later()
	p.expect(p.post("4b\x1e4c"), 200, "ok")
	first := <-again
	if first.body == "4b" {
		p.expect(p.get(), 200, "4c")
		return
	}
	p.expect(first, 200, "4b\x1e4c")
}

func TestBadPolledPackets(t *testing.T) {
	for name, body := range map[string]string{
		"no type": "abc", "unknown type": "7", "nothing": "", "trailing separator": "4a\x1e", "no base64": "b!!!!",
		"invalid UTF-8": "4\xff", "open": "0{}", "ping": "2", "probe": "2probe", "upgrade": "5",
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{})
			p := h.poll()
			if a := p.post(body); a.status != 400 {
				t.Errorf("got %+v", a)
			}
			h.ended(engine.Protocol)
			p.expect(p.get(), 400, unknown)
			p.expect(p.post("4a"), 400, unknown)
		})
	}
}

// Messages queued before a violation of the protocol above are still delivered.
func TestQueuedBeforeViolation(t *testing.T) {
	p := start(t, engine.Options{}).poll()
	p.expect(p.post("4a"), 200, "ok")
	if a := p.post("4violate\x1e4b"); a.status != 400 {
		t.Errorf("got %+v", a)
	}
	p.expect(p.get(), 200, "4a\x1e6\x1e1")
	p.expect(p.get(), 400, unknown)
}

// A session whose end nobody fetches is removed after a while.
func TestEndNotFetched(t *testing.T) {
	h := start(t, engine.Options{PingTimeout: 50 * time.Millisecond})
	p := h.poll()
	p.post("4violate")
	h.reason()
	h.wantSessions(0)
	p.expect(p.get(), 400, unknown)
}

// If there are many such sessions, the oldest are removed sooner, and none of them prevents
// new ones.
func TestManyEndsNotFetched(t *testing.T) {
	h := start(t, engine.Options{MaxSessions: 1, PingTimeout: time.Hour})
	const n = 1100
	for range n {
		p := h.poll()
		<-h.opened
		p.post("4violate")
		h.reason()
	}
	h.wantSessions(1000)
}

// A binary body is of an older protocol. It is refused, and neither the session nor the connection stays,
// however much of the body was sent (CVE-2026-59725 of the official server).
func TestOctetStream(t *testing.T) {
	h := start(t, engine.Options{})
	for name, body := range map[string]string{
		"whole": "Content-Length: 2\r\n\r\n4a", "incomplete": "Content-Length: 1000\r\n\r\n4a", "empty": "Content-Length: 0\r\n\r\n",
		"chunked": "Transfer-Encoding: chunked\r\n\r\n2\r\n4a\r\n", "more than allowed": "Content-Length: 1000000000\r\n\r\n4a",
	} {
		p := h.poll()
		conn := h.raw("POST /engine.io/?" + p.query() + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n" + body)
		if line := closed(t, name, conn); !strings.Contains(line, " 400 ") {
			t.Errorf("%s: %q", name, line)
		}
		h.reason()
		p.expect(p.get(), 400, unknown)
	}
	h.wantSessions(0)
}

func TestTwoPolls(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	first := p.later()
	refused, ended := p.get(), <-first
	if refused.status == 200 { // on a busy machine it may have been there first
		refused, ended = ended, refused
	}
	if refused.status != 400 {
		t.Errorf("second %+v", refused)
	}
	p.expect(ended, 200, "1")
	p.expect(p.get(), 400, unknown)
	h.ended(engine.Protocol)
}

func TestTwoPosts(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	read, write := io.Pipe()
	first := make(chan answer, 1)
	go func() {
		a, _ := p.try(t.Context(), "POST", p.query(), read)
		first <- a
	}()
	io.WriteString(write, "4a")
	time.Sleep(50 * time.Millisecond)
	if second := p.post("4b"); second.status != 400 {
		t.Errorf("second %+v", second)
	}
	write.Close()
	<-first
	h.ended(engine.Protocol)
	p.expect(p.get(), 400, unknown)
}

// lingering is a writer whose answers have arrived long before their handlers
// return, as a busy machine has them.
type lingering struct{ http.ResponseWriter }

func (l lingering) FlushError() error {
	err := http.NewResponseController(l.ResponseWriter).Flush()
	time.Sleep(20 * time.Millisecond)
	return err
}

func (l lingering) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// A client that has its answer may send the next request, also over another connection.
func TestNextRequestAfterAnAnswer(t *testing.T) {
	h := start(t, engine.Options{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.server.ServeHTTP(lingering{w}, r)
	}))
	t.Cleanup(web.Close)
	h.url = web.URL
	p := h.poll()
	for i := range 10 {
		for _, message := range []string{fmt.Sprint("4", i), "4b"} {
			h.expect(p.do("POST", p.query(), message, "Connection", "close"), 200, "ok")
		}
		h.expect(p.do("GET", p.query(), "", "Connection", "close"), 200, fmt.Sprintf("4%d\x1e4b", i))
	}
}

func TestCancelledPoll(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := p.try(ctx, "GET", p.query(), nil); done <- err }()
	time.Sleep(50 * time.Millisecond)
	cancel()
	<-done
	h.ended(engine.Transport)
	p.expect(p.get(), 400, unknown)
}

func TestCutPost(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	waiting := p.later()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(t, err)
	fmt.Fprintf(conn, "POST /engine.io/?%s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n4a", p.query())
	time.Sleep(50 * time.Millisecond)
	conn.Close()
	h.ended(engine.Transport)
	p.expect(<-waiting, 200, "1")
	p.expect(p.get(), 400, unknown)
}

// The GET may arrive after the close packet that was sent at the same time. Without one, the
// session has ended when the POST is answered.
func TestCloseDuringAPoll(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	for range 5 {
		p := h.poll()
		posted := make(chan answer, 1)
		go func() {
			a, _ := p.try(t.Context(), "POST", p.query(), strings.NewReader("1"))
			posted <- a
		}()
		p.expect(p.get(), 200, "6")
		p.expect(<-posted, 200, "ok")
		p.expect(p.get(), 400, unknown)
		h.ended(engine.Transport)
	}
	p := h.poll()
	p.expect(p.post("1"), 200, "ok")
	p.expect(p.get(), 400, unknown)
}

func TestServerCloses(t *testing.T) {
	h := start(t, engine.Options{})
	p := h.poll()
	waiting := p.later()
	(<-h.opened).Close("dropped")
	p.expect(<-waiting, 200, "1")
	q := h.poll()
	s := <-h.opened
	s.Send(engine.NewMessage([]byte("forgotten")))
	s.Close("dropped")
	q.expect(q.get(), 200, "6\x1e1")
	q.expect(q.get(), 400, unknown)
	if got := h.server.Stats().Closed["dropped"]; got != 2 {
		t.Errorf("counted %d", got)
	}
}
