package metrics

import (
	"sync"
	"sync/atomic"
	"testing"
)

// However many requests arrive at once, only the permitted number enters, and one that
// leaves lets another enter.
func TestTrafficInFlight(t *testing.T) {
	var m Metrics
	var in atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if m.Traffic("acme").Enter(30) {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if in.Load() != 30 {
		t.Errorf("%d entered, want 30", in.Load())
	}
	if !m.Traffic("other").Enter(30) {
		t.Error("another account is refused")
	}
	if m.Traffic("acme").Enter(30) {
		t.Error("a request beyond the limit entered")
	}
	m.Traffic("acme").Leave()
	if !m.Traffic("acme").Enter(30) {
		t.Error("no request entered after one left")
	}
}
