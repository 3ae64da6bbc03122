package publish_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

func list(t testing.TB, f durable.FS, dir string) (all []string) {
	t.Helper()
	entries, err := f.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// publishDaily makes n publications, a day apart, from which nothing is deleted.
func publishDaily(t testing.TB, f durable.FS, n int) {
	t.Helper()
	for i := 1; i <= n; i++ {
		publishCycle(t, f, cycle{number: 24 * i, refreshed: []int{1, i + 1}, partly: true})
	}
}

// headOf returns the newest publication of a root, or the zero commit.
func headOf(t testing.TB, f durable.ReadFS) snapshot.Commit {
	t.Helper()
	c, _, err := snapshot.Last(f)
	must(t, err)
	return c
}

func collect(t testing.TB, f durable.FS, n int, keep retention.Policy) retention.Collected {
	t.Helper()
	done, err := retention.Collect(retention.Options{Root: f, Now: cycle{number: 24 * n}.at().Add(time.Hour), Policy: keep}, headOf(t, f))
	must(t, err)
	return done
}

func TestCollectKeepsCountAndAge(t *testing.T) {
	const day = 24 * time.Hour
	base := durabletest.NewMem()
	publishDaily(t, base, 20)
	for name, c := range map[string]struct {
		keep              retention.Policy
		snapshots, cycles int
	}{
		"nothing said":      {retention.Policy{}, 20, 20},
		"count":             {retention.Policy{Snapshots: 5}, 5, 20},
		"age":               {retention.Policy{SnapshotAge: 8 * day}, 9, 20},
		"both":              {retention.Policy{Snapshots: 5, SnapshotAge: 8 * day}, 9, 20},
		"never fewer":       {retention.Policy{Snapshots: 1, SnapshotAge: 1, Cycles: 1, CycleAge: 1}, 3, 3},
		"more than we have": {retention.Policy{Snapshots: 99, CycleAge: 99 * day}, 20, 20},
		"cycles":            {retention.Policy{CycleAge: 10 * day}, 20, 10},
		"cycles by count":   {retention.Policy{Cycles: 15, CycleAge: 10 * day}, 20, 15},
		"the default":       {retention.Default(), 20, 20},
	} {
		t.Run(name, func(t *testing.T) {
			f := base.PowerCut(1, 0)
			done := collect(t, f, 20, c.keep)
			if got := len(list(t, f, layout.SnapshotsDir)); got != c.snapshots || done.Snapshots != 20-c.snapshots {
				t.Errorf("%d snapshots left, want %d; %+v", got, c.snapshots, done)
			}
			if got := len(list(t, f, layout.CanonicalDir)); got != c.cycles || done.Cycles != 20-c.cycles {
				t.Errorf("%d cycles left, want %d; %+v", got, c.cycles, done)
			}
			if got := len(list(t, f, layout.CommitsDir)); got != 20 {
				t.Errorf("%d commit records left", got)
			}
			if again := collect(t, f, 20, c.keep); again != (retention.Collected{}) {
				t.Errorf("second time: %+v", again)
			}
			checkKept(t, f)
		})
	}
}

// checkKept opens every kept snapshot, with everything that its manifest names.
func checkKept(t testing.TB, f durable.FS) {
	t.Helper()
	left := len(list(t, f, layout.SnapshotsDir))
	head, _, err := snapshot.Head(f)
	must(t, err)
	for n := head.Version; n > head.Version-uint64(left); n-- {
		c, err := snapshot.ReadCommit(f, n)
		must(t, err)
		m, err := snapshot.Open(f, c)
		must(t, err)
		must(t, snapshot.Verify(f, c.Dir(), m))
		for _, s := range m.Changes {
			must(t, snapshot.VerifySegment(f, s))
		}
	}
	_, err = look(f)
	must(t, err)
}

// The window keeps what is young or among the newest. Files are deleted when no kept
// manifest names them.
func TestWindowOfTheChangeLog(t *testing.T) {
	f := durabletest.NewMem()
	for i := 1; i <= 30; i++ {
		c := cycle{number: 24 * i, refreshed: []int{1, i + 1}, partly: true}
		publishCycle(t, f, c, keeping(retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, ChangeEvents: 4, ChangeAge: time.Hour}))
		d, err := look(f)
		must(t, err)
		if window := d.commit.LastSeq - d.commit.FirstSeq + 1; i >= 8 && window != 14 || window < 2 {
			t.Fatalf("day %d: window of %d events: want two a day for seven days", i, window)
		}
	}
	// Nine days: seven of the newest window, two more of the oldest kept one.
	if got := len(list(t, f, layout.ChangesDir)); got != 9 {
		t.Errorf("%d segments left", got)
	}
	checkKept(t, f)
}

// The window also counts: after a busy week no young event is lost, and after a quiet
// year the newest events are still there.
func TestWindowKeepsTheNewestEvents(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: upTo(10)})
	publishCycle(t, f, cycle{number: 10000, refreshed: upTo(10)})
	d, err := look(f)
	must(t, err)
	if d.commit.FirstSeq != 1 || d.commit.LastSeq != 20 {
		t.Errorf("window %+v", d.commit.Window())
	}
}

func TestDebris(t *testing.T) {
	f := durabletest.NewMem()
	publishDaily(t, f, 10)
	debris := layout.Cycle(layout.SnapshotsDir, cycle{number: 25}.id())
	young := layout.Cycle(layout.SnapshotsDir, cycle{number: 239}.id())
	for _, dir := range []string{debris, young, "staging/broken", "staging/gone/x", layout.QuarantineDir + "/y", "staging/run"} {
		must(t, f.MkdirAll(dir))
	}
	must(t, durable.Create(f, "CURRENT.tmp0", durable.Bytes(nil)))
	collect(t, f, 10, retention.Policy{Snapshots: 5})
	if exists(t, f, debris) || !exists(t, f, young) {
		t.Error("old debris stayed or young debris went")
	}
	if got := strings.Join(append(list(t, f, layout.StagingDir), list(t, f, ".")...), " "); strings.Contains(got, "broken") || strings.Contains(got, "tmp") {
		t.Errorf("left: %s", got)
	}
	_, err := look(f)
	must(t, err)
}

// P1 for collections: wherever one is killed and whatever a power cut leaves, what is kept stays intact,
// what is missing was recorded before it was deleted, and the next collection completes it.
func TestCollectorKilledAnywhere(t *testing.T) {
	t.Parallel()
	base := durabletest.NewMem()
	publishDaily(t, base, 8)
	keep := retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}
	now := cycle{number: 24 * 8}.at()
	for k := 1; ; k += stride() {
		f := base.PowerCut(1, 0)
		_, err := retention.Collect(retention.Options{Root: durabletest.Wrap(f, durabletest.KillAt(k)), Now: now, Policy: keep}, headOf(t, f))
		for _, keepOf := range []float64{0.5, 0, 1} {
			cut := f.PowerCut(keepOf, uint64(k))
			if _, e := look(cut); e != nil {
				t.Fatalf("killed at %d: %v", k, e)
			}
			onlyBelowWatermarks(t, cut)
			_, e := retention.Collect(retention.Options{Root: cut, Now: now, Policy: keep}, headOf(t, cut))
			must(t, e)
			if got := len(list(t, cut, layout.SnapshotsDir)); got != 3 {
				t.Fatalf("killed at %d: %d snapshots left after the next run", k, got)
			}
			checkKept(t, cut)
		}
		if err == nil {
			return
		}
	}
}

// A cycle that is published by hand long after it was fetched deletes nothing newer,
// compacted or not.
func TestCollectKeepsWhatCameAfter(t *testing.T) {
	f := durabletest.NewMem()
	k := liveTick{1, 1}
	k.transform(t, f)
	o := k.options(f)
	o.Now = func() time.Time { return k.at().Add(10 * 24 * time.Hour) }
	_, err := publish.Run(context.Background(), o)
	must(t, err)
	must(t, durable.MkdirAllSync(f, layout.RawDir))
	before := layout.RawPack(layout.NewCycleID(k.at().Add(-time.Hour), "live_intelligence"))
	after := layout.RawPack(layout.NewCycleID(k.at().Add(24*time.Hour), "live_intelligence"))
	for _, pack := range []string{before, after} {
		must(t, durable.Create(f, pack, durable.Bytes(nil)))
	}
	keep := retention.Policy{Snapshots: 3, CycleAge: 48 * time.Hour}.For(football.LiveIntelligence)
	done, err := retention.Collect(retention.Options{Root: f, Now: o.Now(), Policy: keep}, headOf(t, f))
	must(t, err)
	if exists(t, f, before) || !exists(t, f, after) || done.Cycles != 1 {
		t.Errorf("%+v; before it %v, after it %v", done, exists(t, f, before), exists(t, f, after))
	}
}
