package serve_test

import (
	"testing"
	"time"
)

// S2: at the end sockets are closed, spread over some seconds and within the time limit. Clients are not told
// to stay away.
func TestSocketsDrain(t *testing.T) {
	t.Parallel()
	sockets := 40
	if !testing.Short() {
		sockets = 200
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
	if _, err := w.dial("acme"); err == nil {
		t.Error("still listening")
	}
}
