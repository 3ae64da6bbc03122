package publish_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Every crash test begins with a publication a day for ten days, and one about to be made
// that replaces, carries over, adds and removes. Retention then deletes one snapshot, one
// cycle and a part of the change log.
var (
	last       = cycle{number: day(10), refreshed: []int{1, 5}, failed: []int{2}}
	wantBefore = map[int]int{1: day(9), 2: day(1), 3: day(1)}
	wantAfter  = map[int]int{1: day(10), 2: day(1), 5: day(10)}
)

const (
	before       = 10 // publications
	eventsBefore = "7+1 8+1 9+1 10+1 11+1 12+1 13+1"
	eventsAfter  = "8+1 9+1 10+1 11+1 12+1 13+1 14+1 15-3 16+5"
)

func day(n int) int { return 24*n + 1 }

func scene(t testing.TB) *durabletest.Mem {
	t.Helper()
	f := durabletest.NewMem()
	for n := range before {
		c := cycle{number: day(n), refreshed: []int{1}, partly: true}
		switch n {
		case 0:
			c = cycle{number: day(n), refreshed: []int{1, 2}}
		case 1:
			c = cycle{number: day(n), refreshed: []int{1, 2, 3}}
		}
		c.transform(t, f)
		_, err := publish.Run(t.Context(), sceneOptions(f, c, fmt.Sprint("run-", n)))
		must(t, err)
	}
	last.transform(t, f)
	return f
}

func sceneOptions(f durable.FS, c cycle, run string) publish.Options {
	o := options(f, c, run)
	o.Retention = retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, Cycles: 3, CycleAge: time.Hour, ChangeEvents: 4}
	return o
}

func lastRun(f durable.FS, run string) error {
	_, err := publish.Run(context.Background(), lastOptions(f, run))
	return err
}

func lastOptions(f durable.FS, run string) publish.Options { return sceneOptions(f, last, run) }

// verdict judges what a reader finds after a crash: the old dataset or the new one, the
// new one if it was acknowledged, and events that never change.
func verdict(f durable.FS, acknowledged bool) (dataset, error) {
	d, err := look(f)
	if err != nil {
		return d, err
	}
	want, events := wantBefore, eventsBefore
	if d.commit.Version > before {
		want, events = wantAfter, eventsAfter
	}
	if d.commit.Version < before || d.commit.Version == before && acknowledged {
		return d, fmt.Errorf("version %d, acknowledged %v", d.commit.Version, acknowledged)
	}
	if diff := cmp.Diff(want, d.fixtures); diff != "" {
		return d, errors.New(diff)
	}
	if got := eventText(d.events); got != events {
		return d, fmt.Errorf("events %s", got)
	}
	return d, nil
}

// survive judges a root after a crash, runs the stage again and judges once more.
func survive(f durable.FS, acknowledged bool) error {
	seen, err := verdict(f, acknowledged)
	if err != nil {
		return fmt.Errorf("after the crash: %w", err)
	}
	if err := lastRun(f, "run-after"); err != nil {
		return fmt.Errorf("next run: %w", err)
	}
	now, err := verdict(f, true)
	if err != nil {
		return fmt.Errorf("after the next run: %w", err)
	}
	if seen.commit.Version > before && seen.commit.SHA256 != now.commit.SHA256 {
		return errors.New("the commit changed")
	}
	return nil
}

func operations(t testing.TB, base *durabletest.Mem) int {
	t.Helper()
	w := durabletest.Wrap(base.PowerCut(1, 0), func(durabletest.Op) error { return nil })
	must(t, lastRun(w, "count"))
	return w.Ops()
}

// stride skips most operations under -short.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

var seeds = flag.Uint64("seeds", 1, "power cuts at each operation that keep half of what was not synced")

// P1 and P2: killed at every operation, with a power cut after which nothing or half of what was not
// synced is left, or without one: then all of it is. (-seeds 28 makes it 3,600 and more.)
func TestKilledAtEveryOperation(t *testing.T) {
	t.Parallel()
	base := scene(t)
	runs, last := 0, operations(t, base)+1
	for k := 1; k <= last; k += stride() {
		f := base.PowerCut(1, 0)
		err := lastRun(durabletest.Wrap(f, durabletest.KillAt(k)), "run-killed")
		cut := func(keep float64, seed uint64) {
			runs++
			if e := survive(f.PowerCut(keep, seed), err == nil); e != nil {
				t.Fatalf("power cut at operation %d, %v kept, seed %d (%v): %v", k, keep, seed, err, e)
			}
		}
		cut(0, 0)
		cut(1, 0) // no power cut
		for seed := range *seeds {
			cut(0.5, seed)
		}
	}
	t.Logf("%d power cuts over %d operations", runs, last)
}

// P3: the disk is full from some operation on. Nothing of the run is visible unless it
// was committed, and the next run succeeds after space was freed.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	base := scene(t)
	for k := 1; k <= operations(t, base)+1; k += stride() {
		f := base.PowerCut(1, 0)
		err := lastRun(durabletest.Wrap(f, durabletest.FullAt(k)), "run-full")
		if err != nil && (!errors.Is(err, durable.ErrNoSpace) || !strings.Contains(err.Error(), "free space")) {
			t.Fatalf("full at operation %d: %v", k, err)
		}
		if e := survive(f, err == nil); e != nil {
			t.Fatalf("full at operation %d (%v): %v", k, err, e)
		}
		if exists(t, f, layout.StagingDir+"/run-full") {
			t.Fatalf("full at operation %d: staging was left behind", k)
		}
	}
}

// A run that is killed repeatedly ends with the same bytes as an uninterrupted one, since
// it uses the times of the first attempt.
func TestRerunGivesTheSameBytes(t *testing.T) {
	f := scene(t)
	var first snapshot.Commit
	for k := 1; ; k += 3 {
		o := lastOptions(durabletest.Wrap(f, durabletest.KillAt(k)), fmt.Sprint("run-", k))
		o.Now = func() time.Time { return last.at().Add(time.Duration(k) * time.Minute) }
		o.Version = fmt.Sprint("build ", k)
		_, err := publish.Run(context.Background(), o)
		if name := layout.Cycle(layout.SnapshotsDir, last.id()) + "/" + layout.ManifestFile; exists(t, f, name) {
			_, sum, e := durable.HashFile(f, name)
			must(t, e)
			if first.ManifestSHA256 == "" {
				first.ManifestSHA256 = sum
			}
			if sum != first.ManifestSHA256 {
				t.Fatalf("killed at %d: the manifest changed", k)
			}
		}
		if err == nil {
			break
		}
	}
	_, err := verdict(f, true)
	must(t, err)
}

// A publication that a reader has reported survives a power cut right after it, even if
// the publisher had not made its record durable. The reader calls EnsureDurable: without
// it this test sees a publication vanish.
func TestReportedPublicationsStay(t *testing.T) {
	t.Parallel()
	base := scene(t)
	link := 0 // the operation that creates the commit record
	must(t, lastRun(durabletest.Wrap(base.PowerCut(1, 0), func(op durabletest.Op) error {
		if op.Kind == durabletest.Link && op.Name == layout.Commit(before+1) {
			link = op.Number
		}
		return nil
	}), "count"))
	vanished := map[bool]int{}
	for _, careful := range []bool{true, false} {
		for k := link - 2; k <= link+8; k++ {
			f, reported := base.PowerCut(1, 0), snapshot.Commit{}
			_ = lastRun(durabletest.Wrap(f, func(op durabletest.Op) error {
				if op.Number < k {
					return nil
				}
				if op.Number == k {
					var err error
					reported, _, err = snapshot.Head(f)
					must(t, err)
					if careful {
						must(t, snapshot.EnsureDurable(f, reported))
					}
				}
				return durabletest.ErrKilled
			}), "run-killed")
			after, err := look(f.PowerCut(0, 0))
			must(t, err)
			if after.commit.Version < reported.Version {
				vanished[careful]++
			}
		}
	}
	if vanished[true] > 0 || vanished[false] == 0 {
		t.Errorf("reported and gone: %d with EnsureDurable, %d without", vanished[true], vanished[false])
	}
}
