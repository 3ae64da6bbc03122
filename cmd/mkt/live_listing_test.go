package main

import (
	"context"
	"io/fs"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// lister is a file system that records which folders are listed.
type lister struct {
	durable.FS
	listed map[string]int
}

func (l lister) ReadDir(name string) ([]fs.DirEntry, error) {
	l.listed[name]++
	return l.FS.ReadDir(name)
}

// No cycle lists the cycles, however many there are: the newest is found by name. Only one
// publication in ten minutes looks for old ones.
func TestNoCycleListsCycles(t *testing.T) {
	s := newLiveSystem(t, time.Date(2026, 3, 7, 12, 5, 0, 0, time.UTC), simulator.Options{Seed: 7, Fixtures: 20, InPlay: 4})
	listed := map[string]int{}
	for i, do := range s.steps {
		s.steps[i] = func(ctx context.Context, t batch.Task) (batch.Report, error) {
			t.Root = lister{t.Root, listed}
			return do(ctx, t)
		}
	}
	cycles := 150 // twenty minutes of cycles
	if testing.Short() {
		cycles = 25
	}
	lists := 0
	s.play(time.Minute)
	for range cycles {
		clear(listed)
		s.now = s.now.Add(cadence)
		check.Must(t, s.tick())
		for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.CommitsDir} {
			if listed[dir] > 0 {
				lists++
				break
			}
		}
	}
	if lists > 3 {
		t.Errorf("%d of %d cycles listed what there is: %v", lists, cycles, listed)
	}
}
