package serve_test

import (
	"fmt"
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
	answers := make(chan reply, slow)
	for range slow {
		go func() {
			r, err := w.sendPlain("/test/slow", "acme")
			if err != nil {
				t.Error(err)
			}
			answers <- r
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
