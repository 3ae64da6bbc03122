package transform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// maxBehind is how many cycles that are not transformed, or not any more, are made
// up for: more than there are in the hour of which one is kept. Before that many,
// the next begins with baselines.
const maxBehind = 1000

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
	var missing []layout.CycleID // newest first
	for id != "" && len(missing) < maxBehind {
		m, found, err := canonicalOf(r.Root, id)
		if err != nil {
			return err
		}
		if found {
			r.begins(id, m)
			break
		}
		missing = append(missing, id)
		if id, err = previousOf(r.Root, id); err != nil {
			return err
		}
	}
	if r.makingUp {
		return nil
	}
	for _, id := range slices.Backward(missing) {
		if err := r.makeUp(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// begins notes the cycle that this one begins from.
func (r *run) begins(from layout.CycleID, m snapshot.Manifest) {
	r.result.previousCycle, r.result.previousDigest = from, m.Tables[statesTable].Digest
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
func canonicalOf(f durable.ReadFS, id layout.CycleID) (snapshot.Manifest, bool, error) {
	m, _, err := snapshot.OpenCanonical(f, id)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	return m, err == nil, err
}

// makeUp transforms a cycle that was passed by, from which this one then begins.
// One that cannot be, for what is in it, is passed by for good.
func (r *run) makeUp(ctx context.Context, id layout.CycleID) error {
	earlier := &run{Options: r.Options, engine: r.engine, started: r.started, makingUp: true}
	earlier.Cycle = id
	err := earlier.transform(ctx)
	log := r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", id, "step", "transform")
	switch {
	case errors.Is(err, ErrQuarantined), errors.Is(err, ErrNoCycle), errors.Is(err, raw.ErrCorrupt):
		log.Warn("a cycle is passed by", "error", err)
		return nil
	case err != nil:
		return err
	}
	log.Info("made up for")
	m, found, err := canonicalOf(r.Root, id)
	if found {
		r.begins(id, m)
	}
	return err
}

// previousOf is the raw cycle before one, "" when that is not known.
func previousOf(f durable.ReadFS, id layout.CycleID) (layout.CycleID, error) {
	a, err := raw.Open(f, id)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, raw.ErrCorrupt) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return a.Cycle().Previous, nil
}
