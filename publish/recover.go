package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// recover brings the root to the state that an unbroken run would have left: the
// newest commit durable, CURRENT pointing to it. It is how every run starts, may
// be killed itself, and does nothing when there is nothing to do.
func (r *run) recover(ctx context.Context) error {
	if err := r.makeFolders(); err != nil {
		return err
	}
	base, found, err := snapshot.Last(r.Root)
	if err != nil || !found {
		return err
	}
	if err := snapshot.Repair(r.Root, base); err != nil {
		return err
	}
	manifest, err := r.openMended(ctx, base)
	if err != nil {
		return fmt.Errorf("published snapshot: %w", err)
	}
	if manifest.ClientID != r.ClientID || manifest.Product != r.Product {
		return fmt.Errorf("published snapshot is of %s %s: %w", manifest.ClientID, manifest.Product, snapshot.ErrDamaged)
	}
	r.base, r.previous = base, &manifest
	return nil
}

func (r *run) makeFolders() error {
	for _, dir := range []string{layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir, layout.StagingDir} {
		if err := durable.MkdirAllSync(r.Root, dir); err != nil {
			return err
		}
	}
	return nil
}

// chooseCycle settles which cycle is to be published, or that it already is.
func (r *run) chooseCycle() error {
	r.cycle = r.Cycle
	if r.cycle == "" {
		newest, err := r.newestCanonical()
		if err != nil {
			return err
		}
		if newest == "" && r.previous == nil {
			return fmt.Errorf("%w: run mkt fetch and mkt transform first", ErrNoCycle)
		}
		r.cycle = max(newest, r.base.CycleID)
	}
	if r.previous == nil || r.cycle > r.base.CycleID {
		r.summary.Cycle = r.cycle
		return nil
	}
	commit, err := committed(r.Root, r.cycle, r.base)
	if err != nil {
		return err
	}
	if commit.CycleID != r.cycle {
		return fmt.Errorf("cycle %s: %w %s, and cannot be put in behind it: leave out --cycle to publish the newest", r.cycle, ErrOlderCycle, r.base.CycleID)
	}
	r.summary = Summary{Cycle: r.cycle, Already: true, Version: commit.Version, PublishedAt: commit.PublishedAt, LastSeq: commit.LastSeq}
	return nil
}

// newestCanonical finds the newest cycle with a header; "" when there is none.
// It looks first at the one that transform reported last: cycles are listed only
// when that one is published already.
func (r *run) newestCanonical() (layout.CycleID, error) {
	reported, err := health.Read(r.Root, "transform")
	if err != nil {
		return "", err
	}
	if reported != nil && layout.CycleID(reported.Cycle) > r.base.CycleID {
		id := layout.CycleID(reported.Cycle)
		if there, err := isSealed(r.Root, id); err != nil || there {
			return id, err
		}
	}
	return newestListed(r.Root)
}

// isSealed tells whether a canonical cycle has its header.
func isSealed(f durable.FS, id layout.CycleID) (bool, error) {
	if _, _, err := layout.ParseCycleID(string(id)); err != nil {
		return false, nil
	}
	return durable.Exists(f, layout.Cycle(layout.CanonicalDir, id)+"/"+layout.CanonicalFile)
}

func newestListed(f durable.FS) (layout.CycleID, error) {
	entries, err := f.ReadDir(layout.CanonicalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(entries) {
		cycle, ok := layout.ParseCycleDir(e.Name())
		if !ok {
			continue
		}
		sealed, err := isSealed(f, cycle)
		if err != nil || sealed {
			return cycle, err
		}
	}
	return "", nil
}

// committed finds the first commit of that cycle or a later one. Cycles rise
// with the commits' numbers, so it halves its way.
func committed(f durable.FS, cycle layout.CycleID, newest snapshot.Commit) (found snapshot.Commit, err error) {
	found = newest
	sort.Search(int(newest.Version), func(i int) bool {
		if err != nil {
			return true
		}
		var c snapshot.Commit
		if c, err = snapshot.ReadCommit(f, uint64(i)+1); err != nil {
			return true
		}
		if c.CycleID >= cycle {
			found = c
		}
		return c.CycleID >= cycle
	})
	return found, err
}
