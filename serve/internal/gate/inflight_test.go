package gate_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"mkt/serve/internal/gate"
)

// However many requests arrive at once, only the permitted number enters, and one that
// leaves lets another enter.
func TestInFlight(t *testing.T) {
	var f gate.InFlight
	var in atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if f.Enter("acme", 30) {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if in.Load() != 30 {
		t.Errorf("%d entered, want 30", in.Load())
	}
	if !f.Enter("other", 30) {
		t.Error("another account is refused")
	}
	if f.Enter("acme", 30) {
		t.Error("a request beyond the limit entered")
	}
	f.Leave("acme")
	if !f.Enter("acme", 30) {
		t.Error("no request entered after one left")
	}
}
