package publish_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// onlyBelowWatermarks checks that whatever is missing of eight daily publications was recorded as deleted.
func onlyBelowWatermarks(t *testing.T, f durable.FS) {
	t.Helper()
	marks, err := retention.ReadWatermarks(f)
	must(t, err)
	must(t, marks.Check(f))
	for i := 1; i <= 8; i++ {
		id := cycle{number: 24 * i}.id()
		if !exists(t, f, layout.Cycle(layout.SnapshotsDir, id)) && !marks.Snapshots.Covers(id) {
			t.Fatalf("snapshot %d is gone, watermark %+v", i, marks.Snapshots)
		}
		if !exists(t, f, layout.Cycle(layout.CanonicalDir, id)) && !marks.Canonical.Covers(id) {
			t.Fatalf("cycle %d is gone, watermark %+v", i, marks.Canonical)
		}
	}
}

// A watermark is not lowered if more is to be kept, and one that was raised by hand is
// detected.
func TestWatermarks(t *testing.T) {
	f := durabletest.NewMem()
	publishDaily(t, f, 10)
	collect(t, f, 10, retention.Policy{Snapshots: 3, CycleAge: 72 * time.Hour})
	first, err := retention.ReadWatermarks(f)
	must(t, err)
	if want := (cycle{number: 24 * 8}).id(); first.Snapshots.Before != want || first.Snapshots.Count != 3 || first.Snapshots.Version != 10 {
		t.Errorf("%+v, want %s", first.Snapshots, want)
	}
	if want := (cycle{number: 24 * 7}).at(); first.Raw.Before < layout.NewCycleID(want, "market_engine") {
		t.Errorf("%+v", first.Raw)
	}
	collect(t, f, 10, retention.Policy{Snapshots: 9, CycleAge: 200 * time.Hour})
	second, err := retention.ReadWatermarks(f)
	must(t, err)
	must(t, second.Check(f))
	if *second.Snapshots != *first.Snapshots || *second.Raw != *first.Raw {
		t.Errorf("sank: %+v, %+v", second.Snapshots, second.Raw)
	}
	data, err := durable.ReadFile(f, layout.Collected, 1<<20)
	must(t, err)
	replace(t, f, layout.Collected, bytes.ReplaceAll(data, []byte(first.Snapshots.Before), []byte((cycle{number: 24 * 9}).id())))
	raised, err := retention.ReadWatermarks(f)
	must(t, err)
	if err := raised.Check(f); !errors.Is(err, snapshot.ErrDamaged) {
		t.Errorf("raised by hand: %v", err)
	}
}

// A dry run reports what would be deleted, and deletes nothing.
func TestDryRun(t *testing.T) {
	f := durabletest.NewMem()
	publishDaily(t, f, 6)
	before := files(t, f, ".")
	keep := retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}
	reported, deleted := map[string]bool{}, map[string]bool{}
	now := cycle{number: 24 * 6}.at().Add(time.Hour)
	dry, err := retention.Collect(retention.Options{Root: f, Now: now, Policy: keep, DryRun: true, Report: func(name string) { reported[name] = true }}, headOf(t, f))
	must(t, err)
	if diff := diffFiles(before, files(t, f, ".")); diff != "" {
		t.Error(diff)
	}
	wet, err := retention.Collect(retention.Options{Root: f, Now: now, Policy: keep, Report: func(name string) { deleted[name] = true }}, headOf(t, f))
	must(t, err)
	if dry != wet || len(reported) != len(deleted) || wet.Snapshots != 3 {
		t.Errorf("dry %+v, done %+v", dry, wet)
	}
	for name := range deleted {
		if !reported[name] || exists(t, f, name) {
			t.Errorf("%s: reported %v", name, reported[name])
		}
	}
}
