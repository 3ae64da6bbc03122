package publish_test

import (
	"slices"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
)

func failing(t *testing.T, f durable.FS, product string, from time.Time, every time.Duration, n int) (ids []layout.CycleID) {
	t.Helper()
	for i := range n {
		id := layout.NewCycleID(from.Add(time.Duration(i)*every), product)
		ids = append(ids, id)
		for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
			must(t, f.MkdirAll(layout.Cycle(dir, id)))
		}
	}
	return ids
}

// Of a month of failed cycles, those of the last week, the first one and the spare ones
// are kept. What was published stays, however old.
func TestFailedCyclesAreBounded(t *testing.T) {
	for name, published := range map[string]bool{"after a publication": true, "never published": false} {
		t.Run(name, func(t *testing.T) {
			f := durabletest.NewMem()
			before := 0
			if published {
				publishDaily(t, f, 3)
				before = 3
			}
			month := failing(t, f, "market_engine", cycle{number: 24 * 4}.at(), time.Hour, 30*24)
			spared := month[100]
			keep := retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: 7 * 24 * time.Hour}
			done, err := retention.CollectUnpublished(retention.Options{Root: f, Now: time.Now(), Policy: keep}, headOf(t, f), spared)
			must(t, err)
			want := before + 7*24 + 2
			for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
				left := list(t, f, dir)
				of := want
				if dir == layout.RawDir {
					of -= before // publishing needs no raw cycle
				}
				if len(left) != of {
					t.Errorf("%s: %d cycles left, want %d", dir, len(left), of)
				}
				for _, id := range []layout.CycleID{month[0], spared, month[len(month)-1]} {
					if !slices.Contains(left, "cycle="+string(id)) {
						t.Errorf("%s: %s is gone", dir, id)
					}
				}
			}
			if again, err := retention.CollectUnpublished(retention.Options{Root: f, Now: time.Now(), Policy: keep}, headOf(t, f), spared); err != nil || again != (retention.Collected{}) || done.Cycles == 0 {
				t.Errorf("first %+v, second time %+v, %v", done, again, err)
			}
			if published {
				checkKept(t, f)
			}
		})
	}
}

// The canonical cycles of a product with one every few seconds are thinned out even if
// none is published. A policy that keeps everything keeps them.
func TestFailedLiveCyclesAreThinnedOut(t *testing.T) {
	f := durabletest.NewMem()
	failing(t, f, "live_intelligence", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), 8*time.Second, 5*450)
	for keep, want := range map[retention.Policy][2]int{
		{}: {5 * 450, 5 * 450},
		{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: 2 * time.Hour}: {3*450 + 1, 113 + 4},
		{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: 4 * time.Hour}: {4*450 + 1, 113 + 5},
	} {
		g := f.PowerCut(1, 0)
		_, err := retention.CollectUnpublished(retention.Options{Root: g, Now: time.Now(), Policy: keep.For(football.LiveIntelligence)}, headOf(t, g))
		must(t, err)
		for i, dir := range []string{layout.RawDir, layout.CanonicalDir} {
			if got := len(list(t, g, dir)); got != want[i] {
				t.Errorf("%+v: %s: %d cycles left, want %d", keep, dir, got, want[i])
			}
		}
	}
}
