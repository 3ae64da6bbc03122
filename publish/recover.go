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

// recoverBase completes the work of an interrupted run: the newest commit becomes durable, and
// CURRENT names it. It returns the commit's publication. Every run begins with it. It may itself
// be killed, and does nothing if nothing is incomplete.
func recoverBase(o *Options) (Base, error) {
	base := Base{}
	if err := snapshot.MakeFolders(o.Root); err != nil {
		return base, err
	}
	if o.Begin != nil {
		return Base{Commit: *o.Begin}, nil
	}
	head, found, err := o.Head()
	if err != nil || !found {
		return base, err
	}
	if err := snapshot.Recover(o.Root, head); err != nil {
		return base, err
	}
	if base, err = OpenBase(o.Root, head); err != nil {
		return base, fmt.Errorf("published snapshot: %w", err)
	}
	if m := base.Manifest; m.ClientID != o.ClientID || m.Product != o.Product {
		return base, fmt.Errorf("published snapshot belongs to %s %s: %w: mkt doctor --tenant %s says what to do", m.ClientID, m.Product, snapshot.ErrDamaged, o.ClientID)
	}
	return base, nil
}

// Head reads the newest commit record, on which a writer builds; false if nothing was published
// yet. The error of a damaged record has the remedy.
func (o *Options) Head() (snapshot.Commit, bool, error) {
	c, found, err := snapshot.Last(o.Root)
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w: restore it from a backup, or without one begin a new history: mkt recover --new-history --tenant %s --product %s", err, o.ClientID, o.Product)
	}
	return c, found, err
}

// chooseCycle returns the cycle to publish, and its commit if it was published already.
func chooseCycle(o *Options, newest snapshot.Commit) (layout.CycleID, snapshot.Commit, error) {
	cycle := o.Cycle
	if cycle == "" {
		canonical, err := newestCanonical(o.Root, newest.CycleID)
		if err != nil {
			return "", snapshot.Commit{}, err
		}
		if canonical == "" && newest.Version == 0 {
			return "", snapshot.Commit{}, fmt.Errorf("%w: run mkt fetch and mkt transform first", ErrNoCycle)
		}
		cycle = max(canonical, newest.CycleID)
	}
	if cycle > newest.CycleID {
		return cycle, snapshot.Commit{}, nil
	}
	c, found, err := snapshot.OfCycle(o.Root, newest, cycle)
	if err == nil && !found {
		err = fmt.Errorf("cycle %s: %w %s, and cannot be published before it: leave out --cycle to publish the newest", cycle, ErrOlderCycle, newest.CycleID)
	}
	return cycle, c, err
}

// newestCanonical returns the newest cycle with a header; "" if there is none. It tries the cycle
// reported last by transform, and lists the cycles only if this one is published already.
func newestCanonical(f durable.ReadFS, published layout.CycleID) (layout.CycleID, error) {
	reported, err := health.Read(f, "transform")
	if err != nil {
		return "", err
	}
	if reported != nil && layout.CycleID(reported.Cycle) > published {
		id := layout.CycleID(reported.Cycle)
		if there, err := isSealed(f, id); err != nil || there {
			return id, err
		}
	}
	return newestListed(f)
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
