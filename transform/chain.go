package transform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// maxBehind is how many cycles that nobody transformed are made up for. Before
// that many, the next begins with baselines.
const maxBehind = 32

// ErrNoPrevious: what the cycle began from is not there any more.
var ErrNoPrevious = errors.New("the cycle it began from is gone")

// findPrevious settles which canonical cycle this one begins from. Done before,
// it begins from the same. Else it is the newest raw cycle before this one: when
// that was fetched and never transformed, because a run was killed in between,
// it is now, so that the result is that of an undisturbed run.
func (r *run) findPrevious(ctx context.Context) error {
	if r.before != nil {
		return r.samePrevious()
	}
	id := r.archive.Cycle().Previous
	for behind := r.behind; id != "" && behind < maxBehind; behind++ {
		m, found, err := canonicalOf(r.Root, id)
		if err != nil {
			return err
		}
		if !found {
			m, found, err = r.makeUp(ctx, id, behind+1)
			if err != nil {
				return err
			}
		}
		if found {
			r.result.previousCycle, r.result.previousDigest = id, m.Tables[statesTable].Digest
			return nil
		}
		if id, err = previousOf(r.Root, id); err != nil {
			return err
		}
	}
	return nil
}

// samePrevious takes what an earlier run of this cycle began from.
func (r *run) samePrevious() error {
	id := r.before.PreviousCycle
	if id == "" {
		return nil
	}
	m, found, err := canonicalOf(r.Root, id)
	if err != nil {
		return err
	}
	if digest := m.Tables[statesTable].Digest; !found || digest != r.before.PreviousDigest {
		return fmt.Errorf("%w: %s", ErrNoPrevious, id)
	}
	r.result.previousCycle, r.result.previousDigest = id, r.before.PreviousDigest
	return nil
}

// canonicalOf is the header of a canonical cycle; false when it is not there.
func canonicalOf(f durable.FS, id layout.CycleID) (snapshot.Manifest, bool, error) {
	m, _, err := snapshot.OpenCanonical(f, id)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	return m, err == nil, err
}

// makeUp transforms a cycle that was passed by. One that cannot be, for what is
// in it, is passed by for good.
func (r *run) makeUp(ctx context.Context, id layout.CycleID, behind int) (m snapshot.Manifest, done bool, err error) {
	earlier := &run{Options: r.Options, engine: r.engine, started: r.started, behind: behind}
	earlier.Cycle = id
	err = earlier.transform(ctx)
	switch {
	case errors.Is(err, ErrQuarantined), errors.Is(err, ErrNoCycle), errors.Is(err, raw.ErrCorrupt):
		r.Log.Warn("a cycle is passed by", "tenant", r.ClientID, "product", r.Product, "cycle", id, "step", "transform", "error", err)
		return m, false, nil
	case err != nil:
		return m, false, err
	}
	r.Log.Info("made up for", "tenant", r.ClientID, "product", r.Product, "cycle", id, "step", "transform")
	return canonicalOf(r.Root, id)
}

// previousOf is the raw cycle before one, "" when that is not known.
func previousOf(f durable.FS, id layout.CycleID) (layout.CycleID, error) {
	a, err := raw.Open(f, id)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, raw.ErrCorrupt) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return a.Cycle().Previous, nil
}
