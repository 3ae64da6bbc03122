package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// recover brings the root to the state that an uninterrupted run would have left: the
// newest commit is durable, and CURRENT names it. Every run starts with it. It may be
// killed itself, and does nothing if there is nothing to do.
func (r *run) recover() error {
	if err := MakeFolders(r.Root); err != nil {
		return err
	}
	r.base.Commit.LastSeq = r.LastSeq
	head, found, err := r.Head()
	if err != nil || !found {
		return err
	}
	if err := snapshot.Repair(r.Root, head); err != nil {
		return err
	}
	if r.base, err = OpenBase(r.Root, head); err != nil {
		return fmt.Errorf("published snapshot: %w", err)
	}
	if m := r.base.Manifest; m.ClientID != r.ClientID || m.Product != r.Product {
		return fmt.Errorf("published snapshot is of %s %s: %w: mkt doctor --tenant %s says what to do", m.ClientID, m.Product, snapshot.ErrDamaged, r.ClientID)
	}
	return nil
}

// Head reads the newest commit record, which a writer builds on; false if nothing was
// published yet. The error of a damaged one says what to do.
func (o *Options) Head() (snapshot.Commit, bool, error) {
	c, found, err := snapshot.Last(o.Root)
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w: restore it from a backup, or without one begin a new history: mkt recover --new-history --tenant %s --product %s", err, o.ClientID, o.Product)
	}
	return c, found, err
}

// MakeFolders makes the folders of a root that a publication needs.
func MakeFolders(f durable.FS) error {
	for _, dir := range []string{layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir, layout.StagingDir} {
		if err := durable.MkdirAllSync(f, dir); err != nil {
			return err
		}
	}
	return nil
}

// chooseCycle finds which cycle is to be published, or that it already is.
func (r *run) chooseCycle() error {
	published := r.base.Commit
	if r.Cycle == "" {
		newest, err := r.newestCanonical()
		if err != nil {
			return err
		}
		if newest == "" && published.Version == 0 {
			return fmt.Errorf("%w: run mkt fetch and mkt transform first", ErrNoCycle)
		}
		r.Cycle = max(newest, published.CycleID)
	}
	if r.Cycle > published.CycleID {
		r.summary.Cycle = r.Cycle
		return nil
	}
	c, found, err := snapshot.OfCycle(r.Root, published, r.Cycle)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("cycle %s: %w %s, and cannot be published before it: leave out --cycle to publish the newest", r.Cycle, ErrOlderCycle, published.CycleID)
	}
	r.summary = Summary{Cycle: r.Cycle, Already: true, Version: c.Version, PublishedAt: c.PublishedAt, LastSeq: c.LastSeq}
	return nil
}

// newestCanonical finds the newest cycle with a header; "" if there is none. It looks
// first at the one that transform reported last: cycles are only listed if that one is
// published already.
func (r *run) newestCanonical() (layout.CycleID, error) {
	reported, err := health.Read(r.Root, "transform")
	if err != nil {
		return "", err
	}
	if reported != nil && layout.CycleID(reported.Cycle) > r.base.Commit.CycleID {
		id := layout.CycleID(reported.Cycle)
		if there, err := isSealed(r.Root, id); err != nil || there {
			return id, err
		}
	}
	return newestListed(r.Root)
}

// isSealed reports whether a canonical cycle has its header.
func isSealed(f durable.ReadFS, id layout.CycleID) (bool, error) {
	if _, _, err := layout.ParseCycleID(string(id)); err != nil {
		return false, nil
	}
	return durable.Exists(f, layout.Cycle(layout.CanonicalDir, id)+"/"+layout.CanonicalFile)
}

func newestListed(f durable.ReadFS) (layout.CycleID, error) {
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
