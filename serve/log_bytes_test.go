package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// exchange sends a request as it is written, and returns the body of the answer.
func exchange(t *testing.T, w *world, request string) string {
	t.Helper()
	c := dialTCP(t, w.url)
	defer c.Close()
	_, err := io.WriteString(c, request)
	must(t, err)
	all, err := io.ReadAll(c)
	must(t, err)
	a, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(all))), nil)
	must(t, err)
	text, err := io.ReadAll(a.Body)
	must(t, err)
	return string(text)
}

// The log states how many bytes of the body were sent.
func TestLogStatesTheBytesSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.publish("acme", 2, 2, 1)
	w.start()
	tag := w.get("/fixtures", "acme").header.Get("ETag")
	for id, fields := range map[string]string{"plain": "", "unchanged": "If-None-Match: " + tag + "\r\n", "refused": "Authorization: Basic x\r\n"} {
		if id != "refused" {
			fields += "Authorization: Bearer " + w.tokens["acme"] + "\r\n"
		}
		body := exchange(t, w, "GET /api/v1/fixtures HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: "+id+"\r\n"+fields+"\r\n")
		want := fmt.Sprintf(" bytes=%d ", len(body))
		eventually(t, id+" is logged with"+want, func() bool {
			_, line, _ := strings.Cut(w.log.String(), "request_id="+id+" ")
			line, _, _ = strings.Cut(line, "\n")
			return strings.Contains(line, want)
		})
	}
}
