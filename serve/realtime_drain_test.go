package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// S2: at the end, requests in progress are answered and sockets are closed, spread over some
// seconds and within the time limit. Clients are not told to stay away.
func TestSocketsDrain(t *testing.T) {
	t.Parallel()
	sockets, slow := 40, 20
	if !testing.Short() {
		sockets, slow = 200, 1000
	}
	w := published(t, 3, 1)
	w.realtime.Connections = sockets
	w.start()
	var list []*socket
	for i := range sockets {
		s, _ := w.connect("acme", transport(i%5 == 4))
		subscribe(s)
		list = append(list, s)
	}
	var conns []net.Conn // open before the end begins, after which the server accepts no others
	for range slow {
		conns = append(conns, dialTCP(t, w.url))
	}
	eventually(t, "all connections are accepted", func() bool { return w.metric(`mkt_connections{state="waiting"}`) >= float64(slow) })
	answers := make(chan reply, slow)
	for _, c := range conns {
		go func() {
			fmt.Fprintf(c, "GET /api/v1/test/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", w.tokens["acme"])
			a, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
				answers <- reply{}
				return
			}
			defer a.Body.Close()
			body, err := io.ReadAll(a.Body)
			if err != nil {
				t.Error(err)
			}
			answers <- reply{a.StatusCode, a.Header, string(body)}
		}()
	}
	eventually(t, "the slow ones are in", func() bool { return len(answers) > 0 })
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	for _, s := range list {
		s.ended()
	}
	must(t, <-stopped)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
	failed := map[string]int{}
	for range slow {
		if r := <-answers; r.status != 200 && r.status != 503 { // 503: it came after the notice
			failed[fmt.Sprint(r.status, r.body)]++
		}
	}
	if len(failed) > 0 {
		t.Errorf("failed: %v", failed)
	}
	if _, err := w.dial("acme"); err == nil {
		t.Error("still listening")
	}
}
