package gate_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"mkt/serve/internal/gate"
)

// However many come at once, so many are in, and who left makes room.
func TestCrowd(t *testing.T) {
	var c gate.Crowd
	var in atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if c.Enter("acme", 30) {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if in.Load() != 30 {
		t.Errorf("%d are in, want 30", in.Load())
	}
	if !c.Enter("other", 30) {
		t.Error("another account is kept out")
	}
	if c.Enter("acme", 30) {
		t.Error("one more came in")
	}
	c.Leave("acme")
	if !c.Enter("acme", 30) {
		t.Error("who left made no room")
	}
}
