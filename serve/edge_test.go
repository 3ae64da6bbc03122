package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/serve/account"
)

func dialTCP(t *testing.T, url string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	must(t, err)
	t.Cleanup(func() { c.Close() })
	must(t, c.SetDeadline(time.Now().Add(check.Limit)))
	return c
}

func raw(t *testing.T, w *world, text string) (*http.Response, string) {
	t.Helper()
	c := dialTCP(t, w.url)
	defer c.Close()
	go io.WriteString(c, text) // the server may answer before it read all of it
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	defer a.Body.Close()
	body, _ := io.ReadAll(a.Body)
	return a, string(body)
}

// Whatever a client sends, the answer has the contract's body, codes and headers.
func TestProtocolAbuse(t *testing.T) {
	t.Parallel()
	w := shared(t)
	token := "Authorization: Bearer " + w.tokens["acme"] + "\r\n"
	get := func(path, headers string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n"
	}
	for name, c := range map[string]struct {
		text, want string
	}{
		"not HTTP":            {"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "400 BAD_REQUEST"},
		"no host":             {"GET /api/v1/status HTTP/1.1\r\n\r\n", "400 BAD_REQUEST"},
		"two hosts":           {"GET /api/v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 BAD_REQUEST"},
		"method of odd bytes": {"G@T /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n", "400 BAD_REQUEST"},
		"path that is none":   {"GET api HTTP/1.1\r\nHost: x\r\n\r\n", "400 BAD_REQUEST"},
		"bad escape in path":  {get("/api/v1/fixtures/%zz", token), "400 BAD_REQUEST"},
		"header without name": {get("/api/v1/status", ": x\r\n"), "400 BAD_REQUEST"},
		"header with a NUL":   {get("/api/v1/status", "X: a\x00b\r\n"), "400 BAD_REQUEST"},
		"bad length":          {get("/api/v1/status", "Content-Length: -1\r\n"), "400 BAD_REQUEST"},
		"two lengths":         {get("/api/v1/status", "Content-Length: 1\r\nContent-Length: 2\r\n"), "400 BAD_REQUEST"},
		"odd encoding":        {get("/api/v1/status", "Transfer-Encoding: gzip\r\n"), "400 BAD_REQUEST"},
		"version 3":           {"GET /api/v1/status HTTP/3.0\r\nHost: x\r\n\r\n", "400 BAD_REQUEST"},
		"expectation":         {get("/api/v1/status", "Expect: miracles\r\n"), "400 BAD_REQUEST"},
		"asterisk":            {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "204 "},
		"GET asterisk":        {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", "404 NOT_FOUND"},
		"connect":             {"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "405 METHOD_NOT_ALLOWED"},
		"absolute form":       {get("http://elsewhere/api/v1/status", ""), "200 "},
		"HTTP 1.0":            {"GET /api/v1/status HTTP/1.0\r\n\r\n", "200 "},
		"encoded slash":       {get("/api/v1%2Ffixtures", token), "404 NOT_FOUND"},
		"dots":                {get("/api/v1/../v1/status", ""), "404 NOT_FOUND"},
		"double slash":        {get("/api/v1//status", ""), "404 NOT_FOUND"},
		"no id":               {get("/api/v1/fixtures//markets", token), "404 NOT_FOUND"},
		"long URL":            {get("/api/v1/fixtures?league="+strings.Repeat("x", 5<<10), token), "413 REQUEST_TOO_LARGE"},
		"long URL, no route":  {get("/"+strings.Repeat("x", 5<<10), ""), "404 NOT_FOUND"},
		"one long header":     {get("/api/v1/status", "X: "+strings.Repeat("x", 20<<10)+"\r\n"), "413 REQUEST_TOO_LARGE"},
		"many headers":        {get("/api/v1/status", strings.Repeat("X: 1234567890\r\n", 2000)), "413 REQUEST_TOO_LARGE"},
		"endless headers":     {get("/api/v1/status", "X: "+strings.Repeat("x", 200<<10)+"\r\n"), "413 REQUEST_TOO_LARGE"},
		"small body":          {get("/api/v1/status", "Content-Length: 2\r\n") + "{}", "200 "},
		"large body":          {get("/api/v1/schema", "Content-Length: 70000\r\n"), "413 REQUEST_TOO_LARGE"},
		"huge length":         {get("/api/v1/schema", "Content-Length: 9223372036854775807\r\n"), "413 REQUEST_TOO_LARGE"},
		"small chunks":        {get("/api/v1/status", "Transfer-Encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n\r\n", "200 "},
		"large chunks":        {get("/api/v1/status", "Transfer-Encoding: chunked\r\n") + strings.Repeat("1000\r\n"+strings.Repeat("x", 4096)+"\r\n", 20) + "0\r\n\r\n", "413 REQUEST_TOO_LARGE"},
		"POST of a large one": {"POST /api/v1/fixtures HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", "405 METHOD_NOT_ALLOWED"},
		"two tokens":          {get("/api/v1/account", token+token), "401 INVALID_API_TOKEN"},
		"token in the query":  {get("/api/v1/account?token="+w.tokens["acme"], ""), "401 INVALID_API_TOKEN"},
	} {
		a, body := raw(t, w, c.text)
		r := reply{status: a.StatusCode, header: a.Header, body: body}
		if got := fmt.Sprint(r.status, " ", r.code()); got != c.want {
			t.Errorf("%s: %s, want %s: %.300s", name, got, c.want, body)
		}
		if r.status >= 400 && (a.Header.Get("Content-Type") != "application/json" || a.Header.Get("X-Request-Id") == "" || !strings.Contains(body, a.Header.Get("X-Request-Id"))) {
			t.Errorf("%s: %v %s", name, a.Header, body)
		}
	}
}

// A body with both a length and chunks is read in chunks, and the connection is closed after
// the answer, because a proxy may see the end of the body elsewhere and treat the next
// request as a part of it.
func TestLengthAndChunksCloseTheConnection(t *testing.T) {
	t.Parallel()
	w := shared(t)
	const next = "GET /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, headers := range map[string]string{
		"length first": "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
		"chunks first": "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
		"chunks alone": "Transfer-Encoding: chunked\r\n",
		"odd case":     "transfer-encoding: CHUNKED\r\ncontent-length: 6\r\n",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			c := dialTCP(t, w.url)
			go io.WriteString(c, method+" /api/v1/status HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n0\r\n\r\n"+next)
			all, err := io.ReadAll(c)
			if n := strings.Count(string(all), "HTTP/1.1 "); err != nil || n != 1 || !strings.Contains(string(all), "\r\nConnection: close\r\n") {
				t.Errorf("%s, %s: %d answers, %v:\n%s", name, method, n, err, all)
			}
			c.Close()
		}
	}
}

func TestPanicShowsOnlyTheRequestID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	for path, cause := range map[string]string{"/test/panic": "a string in mkt/serve.init", "/test/error": "secret of the handler"} {
		a, body := raw(t, w, "GET /api/v1"+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+w.tokens["acme"]+"\r\n\r\n")
		want := `{"error":{"code":"INTERNAL_ERROR","message":"the service failed; report the request id","request_id":"` + a.Header.Get("X-Request-Id") + `"}}`
		if a.StatusCode != 500 || body != want {
			t.Errorf("%s: %d %s", path, a.StatusCode, body)
		}
		eventually(t, "the cause is in the log", func() bool {
			return strings.Contains(w.log.String(), a.Header.Get("X-Request-Id")) && strings.Contains(w.log.String(), cause)
		})
	}
	// Part of an answer has been sent, so the connection is closed instead of completing it.
	c := dialTCP(t, w.url)
	fmt.Fprintf(c, "GET /api/v1/test/late HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", w.tokens["acme"])
	if data, _ := io.ReadAll(c); strings.Contains(string(data), "INTERNAL_ERROR") || strings.HasSuffix(string(data), "0\r\n\r\n") {
		t.Errorf("late panic: %q", data)
	}
	if r := w.get("/account", "acme"); r.status != 200 {
		t.Errorf("afterwards: %d", r.status)
	}
}

func TestLogHoldsNoURLAndNoToken(t *testing.T) {
	t.Parallel()
	w := published(t, 2, 2).start()
	w.get("/fixtures?league=canary-in-the-query", "acme", "X-Request-Id", "one")
	w.get("/fixtures/canary-in-the-path", "acme")
	w.get("/fixtures", "canary-in-the-token")
	w.do("CANARY", "/fixtures", "acme")
	eventually(t, "four lines", func() bool { return strings.Count(w.log.String(), "msg=request") >= 4 })
	log := w.log.String()
	for _, secret := range []string{"canary", "CANARY", w.tokens["acme"], "league=", w.dataDir} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
	for _, want := range []string{"request_id=one", "route=/fixtures/{id}", "tenant=acme", "status=404", "code=FIXTURE_NOT_FOUND"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

func TestLogHasFixedKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("gone", func(a *account.Account) { a.Status = account.Revoked })
	w.publish("acme", 2, 2, 1)
	w.start()
	asked := 0
	for _, path := range everyRoute("acme") {
		for _, as := range []string{"acme", "gone", "", "bogus"} {
			w.get(path, as, "X-Request-Id", "one")
			asked++
		}
	}
	w.sendPlain("/test/error", "acme")
	asked++
	eventually(t, "a line each", func() bool { return strings.Count(w.log.String(), "msg=request") == asked })
	known := map[string]bool{"time": true, "level": true, "msg": true, "request_id": true, "tenant": true, "method": true, "route": true, "status": true,
		"bytes": true, "took_us": true, "code": true, "err": true}
	key := regexp.MustCompile(`(?:^| )([a-zA-Z_]+)=(?:"(?:[^"\\]|\\.)*"|[^ ]*)`)
	for _, line := range strings.Split(w.log.String(), "\n") {
		if !strings.Contains(line, "msg=request") {
			continue
		}
		for _, m := range key.FindAllStringSubmatch(line, -1) {
			if !known[m[1]] {
				t.Errorf("%s in %s", m[1], line)
			}
		}
		for _, want := range []string{"time=", "request_id=", "route=/", "status=", "took_us="} {
			if !strings.Contains(line, want) {
				t.Errorf("no %s in %s", want, line)
			}
		}
	}
}

func TestValidatorsAndCompression(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 60)
	w.publishLive("acme", 30)
	w.start()
	for _, path := range everyRoute("acme") {
		plain, zipped := w.get(path, "acme"), w.get(path, "acme", "Accept-Encoding", "gzip")
		if zipped.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: encodings %q and %q", path, plain.header.Get("Content-Encoding"), zipped.header.Get("Content-Encoding"))
		}
		if path != "/account/usage" && plain.body != zipped.body {
			t.Errorf("%s: compressed it is another body", path)
		}
		tag := plain.header.Get("ETag")
		if tag != zipped.header.Get("ETag") {
			t.Errorf("%s: ETags %s and %s", path, tag, zipped.header.Get("ETag"))
		}
		if tag == "" {
			continue
		}
		for header, want := range map[string]int{tag: 304, strings.TrimPrefix(tag, "W/"): 304, "*": 304, `"a", ` + tag: 304, `W/"other"`: 200, "": 200, tag + "x": 200} {
			if r := w.get(path, "acme", "If-None-Match", header); r.status != want {
				t.Errorf("%s, If-None-Match %s: %d, want %d", path, header, r.status, want)
			}
		}
		// The age does not change the validator; a new publication does.
		w.setClock(w.now().Add(time.Second))
		if r := w.get(path, "acme", "If-None-Match", tag); r.status != 304 {
			t.Errorf("%s: %d a second later", path, r.status)
		}
	}
	for header, want := range map[string]string{"": "", "identity": "", "gzip;q=0": "", "*;q=0": "", "br, deflate": "", "gzip;q=0, *": "",
		"GZIP": "gzip", "br, gzip;q=0.1": "gzip", "*": "gzip", "x-gzip": "gzip", "gzip; q=1": "gzip"} {
		if got := w.get("/fixtures", "acme", "Accept-Encoding", header).header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: %q, want %q", header, got, want)
		}
	}
}

// Requests in progress are finished; new ones on kept connections are refused; then the
// server ends. It is ready until then and alive to the end.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	slow := make(chan reply, 20)
	for range cap(slow) {
		go func() {
			r, _ := w.sendPlain("/test/slow", "acme")
			slow <- r
		}()
	}
	kept := dialTCP(t, w.url)
	reader := bufio.NewReader(kept)
	ask := func() *http.Response {
		fmt.Fprintf(kept, "GET /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
		a, err := http.ReadResponse(reader, nil)
		if err != nil {
			return nil
		}
		io.Copy(io.Discard, a.Body)
		return a
	}
	if a := ask(); a == nil || a.StatusCode != 200 {
		t.Fatal("the connection does not work")
	}
	if status, body := w.side("/readyz"); status != 200 || body != "ready\n" {
		t.Errorf("serving: %d %q", status, body)
	}
	eventually(t, "the slow ones are in", func() bool { return w.metric("mkt_http_requests_in_flight") == float64(cap(slow)) })
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	eventually(t, "not ready while draining", func() bool {
		status, body := w.side("/readyz")
		return status == 503 && body == "not ready: draining: requests in progress are being finished\n"
	})
	if status, _ := w.side("/livez"); status != 200 {
		t.Errorf("not alive while draining: %d", status)
	}
	a := ask()
	for a != nil && a.StatusCode == http.StatusOK {
		a = ask()
	}
	if a == nil || a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || !a.Close {
		t.Errorf("on a kept connection: %+v", a)
	}
	for range cap(slow) {
		if r := <-slow; r.status != 200 || !strings.Contains(r.body, "done") {
			t.Errorf("a request under way: %d %s", r.status, r.body)
		}
	}
	must(t, <-stopped)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://")); err == nil {
		t.Error("still listening")
	}
}

// sendPlain is send for routes that are not in the document.
func (w *world) sendPlain(path, as string) (reply, error) {
	q, err := http.NewRequest("GET", w.url+"/api/v1"+path, nil)
	if err != nil {
		return reply{}, err
	}
	q.Header.Set("Authorization", "Bearer "+w.tokens[as])
	a, err := client.Do(q)
	if err != nil {
		return reply{}, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	return reply{a.StatusCode, a.Header, string(body)}, err
}

// A client that sends its request slowly, or never reads the answer, is disconnected, while
// others are served.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel()
	needs.Time(t, "lasts as long as a time-out")
	w := published(t, 30, 60).start()
	bearer := "Host: x\r\nAuthorization: Bearer " + w.tokens["acme"] + "\r\n"
	page := "GET " + "/api/v1" + coldPage("acme", 29*60) + " HTTP/1.1\r\n" + bearer + "\r\n"
	kinds := map[string]struct {
		send  string
		drip  string        // then, again and again
		reads bool          // else it never does
		by    time.Duration // when it must be over
	}{
		"nothing":          {"", "", true, 15 * time.Second},
		"half a line":      {"GET /api/v1/st", "a", true, 15 * time.Second},
		"endless header":   {"GET /api/v1/status HTTP/1.1\r\nHost: x\r\nX-Slow: ", "x", true, 15 * time.Second},
		"more headers":     {"GET /api/v1/status HTTP/1.1\r\nHost: x\r\n", "X: y\r\n", true, 15 * time.Second},
		"dribbled body":    {"GET /api/v1/schema HTTP/1.1\r\n" + bearer + "Content-Length: 60000\r\n\r\n", "x", true, 20 * time.Second},
		"dribbled chunks":  {"GET /api/v1/schema HTTP/1.1\r\n" + bearer + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", true, 20 * time.Second},
		"body to a POST":   {"POST /api/v1/schema HTTP/1.1\r\n" + bearer + "Content-Length: 60000\r\n\r\n", "x", true, 20 * time.Second},
		"reads no answers": {strings.Repeat(page, 400), "", false, 45 * time.Second},
	}
	began := time.Now()
	var slow sync.WaitGroup
	for name, k := range kinds {
		for range 8 {
			slow.Go(func() {
				c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				c.SetDeadline(began.Add(k.by + 10*time.Second))
				if !k.reads {
					c.(*net.TCPConn).SetReadBuffer(4 << 10)
				}
				over := make(chan struct{})
				go func() {
					io.WriteString(c, k.send)
					for k.drip != "" {
						select {
						case <-over:
							return
						case <-time.After(200 * time.Millisecond):
						}
						if _, err := io.WriteString(c, k.drip); err != nil {
							return
						}
					}
				}()
				if !k.reads {
					time.Sleep(time.Until(began.Add(k.by - time.Second)))
				}
				_, err = io.Copy(io.Discard, c) // until the server ends it
				close(over)
				if took := time.Since(began); took > k.by {
					t.Errorf("%s: cut off after %v (%v), want %v", name, took, err, k.by)
				}
			})
		}
	}
	for range 20 {
		asked := time.Now()
		if r := w.get("/account", "acme"); r.status != 200 || time.Since(asked) > 2*time.Second {
			t.Errorf("with slow clients: %d after %v", r.status, time.Since(asked))
		}
		time.Sleep(100 * time.Millisecond)
	}
	slow.Wait()
	eventually(t, "nothing is in flight", func() bool { return w.metric("mkt_http_requests_in_flight") == 0 })
}
