package snapshot_test

import (
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/snapshot"
)

// Whatever bit of a segment has rotted, its events are as they were, or the error is damage.
func TestEventsOfADamagedSegment(t *testing.T) {
	f := durabletest.NewMem()
	_, m := publication(t, f, 1, snapshot.Commit{}, nil)
	name := m.Changes[0].File
	damaged := 0
	for i := range int(m.Changes[0].Bytes) {
		f.Flip(name, i)
		for _, err := range snapshot.Events(f, m, 0) {
			if err == nil {
				continue
			}
			if damaged++; !snapshot.IsDamage(err) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
		f.Flip(name, i)
	}
	if damaged < 100 {
		t.Errorf("%d of %d bytes were noticed", damaged, m.Changes[0].Bytes)
	}
}
