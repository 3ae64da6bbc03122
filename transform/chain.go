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

// maxBehind bounds the earlier cycles that a run transforms first: more than there are in
// an hour, of which retention keeps one canonical cycle. If more are missing, the oldest
// of them begins with baselines.
const maxBehind = 1000

// ErrNoPrevious means that the cycle from which this one began is missing.
var ErrNoPrevious = errors.New("the cycle it began from is missing")

// findPrevious finds the canonical cycle that this one begins from. If it was transformed
// before, that is the same one as then. Otherwise it is that of the raw cycle before this
// one. Raw cycles that were never transformed, because a run was killed in between, are
// transformed first, so that the result is that of an undisturbed run.
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
			r.beginFrom(id, m)
			break
		}
		missing = append(missing, id)
		if id, err = previousOf(r.Root, id); err != nil {
			return err
		}
	}
	if r.isBackfill {
		return nil
	}
	for _, id := range slices.Backward(missing) {
		if err := r.backfill(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// beginFrom sets the cycle that this one begins from.
func (r *run) beginFrom(from layout.CycleID, m snapshot.Manifest) {
	r.result.previousCycle, r.result.previousDigest = from, m.Tables[statesTable].Digest
}

// samePrevious begins from the cycle that an earlier run of this one began from.
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

// canonicalOf returns the header of a canonical cycle, and reports whether it is there.
func canonicalOf(f durable.ReadFS, id layout.CycleID) (snapshot.Manifest, bool, error) {
	m, _, err := snapshot.OpenCanonical(f, id)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	return m, err == nil, err
}

// backfill transforms an earlier cycle, and begins from it. It skips a cycle that cannot
// be transformed because of what is in it.
func (r *run) backfill(ctx context.Context, id layout.CycleID) error {
	earlier := &run{Options: r.Options, engine: r.engine, started: r.started, isBackfill: true}
	earlier.Cycle = id
	err := earlier.transform(ctx)
	log := r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", id, "step", "transform")
	switch {
	case errors.Is(err, ErrQuarantined), errors.Is(err, ErrNoCycle), errors.Is(err, raw.ErrCorrupt):
		log.Warn("skipped an earlier cycle that cannot be transformed", "error", err)
		return nil
	case err != nil:
		return err
	}
	log.Info("transformed an earlier cycle first")
	m, found, err := canonicalOf(r.Root, id)
	if found {
		r.beginFrom(id, m)
	}
	return err
}

// previousOf returns the raw cycle before one, "" if it is not known.
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
