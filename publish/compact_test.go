package publish_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// After hundreds of publications within a few hours segments are compacted. Their events
// stay the same, and files that no manifest names are deleted.
func TestManySegmentsAreCompacted(t *testing.T) {
	t.Parallel()
	needs.Time(t, "publishes 400 times")
	f := durabletest.NewMem()
	var events []table.EventRow
	for i := 1; i <= 400; i++ {
		c := cycle{number: i, refreshed: []int{i % 5}, partly: true}
		publishCycle(t, f, c, keeping(retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour, ChangeAge: 1000 * time.Hour}))
		if i%40 != 0 && i < 390 {
			continue
		}
		d, err := look(f)
		must(t, err)
		if diff := cmp.Diff(events, d.events[:len(events)]); diff != "" && len(events) > 0 {
			t.Fatalf("cycle %d: old events changed: %s", i, diff)
		}
		if events = d.events; len(events) != i {
			t.Fatalf("cycle %d: %d events", i, len(events))
		}
		if n := len(d.manifest.Changes); n > 256 {
			t.Fatalf("cycle %d: %d segments listed", i, n)
		}
	}
	if n := len(list(t, f, layout.ChangesDir)); n > 270 {
		t.Errorf("%d segments left on the disk", n)
	}
	checkKept(t, f)
	head, _, err := snapshot.Head(f)
	must(t, err)
	if head.Segment == nil || head.Segment.First != 400 || head.Segment.Cycles != 0 {
		t.Errorf("the commit names segment %+v", head.Segment)
	}
}
