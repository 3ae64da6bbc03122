package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

const inStore = "client_id=acme/product=market_engine/"

var shortest = retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, Cycles: 3, CycleAge: time.Hour}

// shipped returns a store with twelve publications.
func shipped(t *testing.T) (*store.Dataset, *storetest.Memory) {
	t.Helper()
	d, bucket := newStore(t)
	f := durabletest.NewMem()
	for n := 1; n <= 12; n++ {
		must(t, shipCycle(t, f, d, cycle{number: n, refreshed: upTo(2)}, shortest))
	}
	return d, bucket
}

// A pull whose publications are deleted while it runs takes them for deleted, not for lost.
func TestPullWhileCollecting(t *testing.T) {
	d, _ := shipped(t)
	f := durabletest.NewMem()
	done, err := d.Pull(t.Context(), f, store.PullOptions{Progress: func(n, _ int) {
		if n == 4 {
			_, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest})
			must(t, err)
		}
	}})
	must(t, err)
	marks, err := retention.ReadWatermarks(f)
	must(t, err)
	must(t, marks.Check(f))
	if first, there := (cycle{number: 9}).id(), (cycle{number: 10}).id(); done.Packs != 4+3 || !marks.Snapshots.Covers(first) || !marks.Raw.Covers(first) || marks.Snapshots.Covers(there) {
		t.Errorf("pulled %+v, what is recorded as deleted is before %+v", done, marks.Snapshots)
	}
	world, err := look(f)
	must(t, err)
	if world.commit.Version != 12 {
		t.Errorf("the newest is %d", world.commit.Version)
	}
}

// A span whose last publication is deleted says so.
func TestPullWhatIsDeleted(t *testing.T) {
	d, _ := shipped(t)
	_, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest})
	must(t, err)
	_, err = d.Pull(t.Context(), durabletest.NewMem(), store.PullOptions{To: cycle{number: 5}.at().Add(30 * time.Minute)})
	if err == nil || errors.Is(err, snapshot.ErrDamaged) {
		t.Errorf("a span that is deleted: %v", err)
	}
}

// The files of a publication that is being written are not deleted, although no commit names
// them yet, and its pack is not taken for one that lost.
func TestCollectWhilePublishing(t *testing.T) {
	d, bucket := shipped(t)
	compacted := inStore + strings.TrimSuffix(layout.Segment(layout.ChangesDir, 1, 2, cycle{number: 13}.id()), ".parquet") + "-0123456789abcdef.parquet"
	pack := inStore + fmt.Sprintf("packs/%020d-0123456789abcdef.tar", 13)
	for _, key := range []string{compacted, pack} {
		bucket.Set(t, key, []byte("under way"))
	}
	_, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest, Lost: true})
	must(t, err)
	for _, key := range []string{compacted, pack} {
		if len(bucket.Keys(key)) == 0 {
			t.Errorf("%s of a publication under way was deleted, %v", key, err)
		}
	}
}

// If two collections with different policies run at the same time, what is recorded as deleted
// is that of the policy that keeps less.
func TestTwoCollections(t *testing.T) {
	d, bucket := shipped(t)
	longer := shortest
	longer.Snapshots, longer.Cycles = 9, 9
	key := inStore + layout.Collected
	_, err := d.Collect(t.Context(), store.CollectOptions{Policy: longer})
	must(t, err)
	lower := bucket.Get(t, key)
	overwritten := false
	_, err = d.Collect(t.Context(), store.CollectOptions{Policy: shortest, Report: func(string, int64) {
		if !overwritten { // by the other one, which had read it before
			overwritten = true
			bucket.Set(t, key, lower)
		}
	}})
	must(t, err)
	marks, err := retention.ReadWatermarks(d.Records(t.Context()))
	must(t, err)
	if !overwritten || !marks.Snapshots.Covers(cycle{number: 9}.id()) {
		t.Errorf("what is recorded as deleted is before %+v", marks.Snapshots)
	}
}

// What a worker stored that lost its race is found and deleted, and nothing else.
func TestCollectLost(t *testing.T) {
	d, bucket := newStore(t)
	a, b := durabletest.NewMem(), durabletest.NewMem()
	c := history()
	must(t, shipCycle(t, a, d, c[0], retention.Policy{}))
	_, err := d.Sync(t.Context(), b)
	must(t, err)
	must(t, shipCycle(t, a, d, c[1], retention.Policy{}))
	if err := shipCycle(t, b, d, c[2], retention.Policy{}); !errors.Is(err, publish.ErrConflict) {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		done, err := d.Collect(t.Context(), store.CollectOptions{Lost: true})
		must(t, err)
		if done != (store.Collected{Lost: want}) {
			t.Errorf("collected %+v, want %d lost", done, want)
		}
	}
	if n := len(bucket.Keys(inStore + "packs/")); n != 2 {
		t.Errorf("%d packs are left", n)
	}
	_, err = d.Pull(t.Context(), durabletest.NewMem(), store.PullOptions{})
	must(t, err)
}
