package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// exchange sends a request as it is written, and returns the answer with its head as it was sent.
func exchange(t *testing.T, w *world, request string) (a *http.Response, head, body string) {
	t.Helper()
	c := dialTCP(t, w.url)
	defer c.Close()
	_, err := io.WriteString(c, request)
	must(t, err)
	all, err := io.ReadAll(c)
	must(t, err)
	head, _, _ = strings.Cut(string(all), "\r\n\r\n")
	a, err = http.ReadResponse(bufio.NewReader(strings.NewReader(string(all))), nil)
	must(t, err)
	text, err := io.ReadAll(a.Body)
	must(t, err)
	return a, head, string(text)
}

// A plain request, which net/http does not read, gets the same answer as one that it reads.
func TestPlainRequestsAreAnsweredAsByNetHTTP(t *testing.T) {
	t.Parallel()
	w := shared(t)
	fixture := w.get("/fixtures?limit=1", "acme").page(t).Data[0].FixtureID
	tag := w.get("/fixtures", "acme").header.Get("ETag")
	varying := []string{"Date", "X-Request-Id", "Ratelimit-Remaining", "Ratelimit-Reset"}
	for _, path := range []string{
		"/status", "/schema", "/account", "/fixtures", "/fixtures?limit=2", "/fixtures?limit=0", "/fixtures?cursor=x",
		"/fixtures/" + fixture, "/fixtures/" + fixture + "/markets", "/fixtures/fx_none", "/changes", "/live", "/nothing",
	} {
		for name, fields := range map[string]string{
			"": "", "gzip": "Accept-Encoding: gzip\r\n", "unchanged": "If-None-Match: " + tag + "\r\n",
			"foreign origin": "Origin: https://other.example\r\n", "no token": "Authorization: Basic x\r\n",
		} {
			if name != "no token" {
				fields += "Authorization: Bearer " + w.tokens["acme"] + "\r\n"
			}
			request := "GET /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + fields
			got, head, body := exchange(t, w, request+"\r\n")
			want, _, wanted := exchange(t, w, request+"Pragma: none\r\n\r\n")
			for _, field := range varying {
				if (got.Header.Get(field) == "") != (want.Header.Get(field) == "") {
					t.Errorf("%s, %s: only one answer has %s", path, name, field)
				}
				got.Header.Del(field)
				want.Header.Del(field)
			}
			id := func(s string) string { // of the request, which errors contain
				from := strings.Index(s, `"request_id":"`)
				if from < 0 {
					return s
				}
				return s[:from]
			}
			if got.Status != want.Status || !maps.EqualFunc(got.Header, want.Header, func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }) || id(body) != id(wanted) {
				t.Errorf("%s, %s: answered\n%s %v %q\nnot\n%s %v %q", path, name, got.Status, got.Header, body, want.Status, want.Header, wanted)
			}
			if strings.Index(head, "\nDate:") > strings.Index(head, "\nX-Request-Id:") { // net/http puts it last
				t.Errorf("%s, %s: net/http has answered", path, name)
			}
		}
	}
}

// The log states how many bytes of the body were sent.
func TestLogStatesTheBytesSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.publish("acme", 2, 2, 1)
	w.start()
	tag := w.get("/fixtures", "acme").header.Get("ETag")
	for id, fields := range map[string]string{"plain": "", "net-http": "Pragma: none\r\n", "unchanged": "If-None-Match: " + tag + "\r\n", "refused": "Authorization: Basic x\r\n"} {
		if id != "refused" {
			fields += "Authorization: Bearer " + w.tokens["acme"] + "\r\n"
		}
		_, _, body := exchange(t, w, "GET /api/v1/fixtures HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: "+id+"\r\n"+fields+"\r\n")
		want := fmt.Sprintf(" bytes=%d ", len(body))
		eventually(t, id+" is logged with"+want, func() bool {
			_, line, _ := strings.Cut(w.log.String(), "request_id="+id+" ")
			line, _, _ = strings.Cut(line, "\n")
			return strings.Contains(line, want)
		})
	}
}
