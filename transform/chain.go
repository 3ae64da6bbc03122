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
	"mkt/transform/reading"
	"mkt/transform/rules"
)

// ErrNoPrevious: the cycle with the states to continue is missing.
var ErrNoPrevious = errors.New("the cycle to continue is missing")

// findPrevious finds the canonical cycle whose states this one continues. A cycle transformed
// before continues the same one again; any other continues the raw cycle before it. If a killed
// run left raw cycles untransformed, they are transformed first, so that the result is the same
// as without the kill.
func (r *run) findPrevious(ctx context.Context) error {
	if r.before != nil {
		return r.samePrevious()
	}
	id := r.archive.Cycle().Previous
	var missing []layout.CycleID // newest first
	for id != "" && len(missing) < rules.MaxBehind {
		m, found, err := canonicalOf(r.Root, id)
		if err != nil {
			return r.remedy(err)
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

// beginFrom continues the states of a canonical cycle, unless they are of a former provider of
// the account: its fixtures have other ids, and end at once.
func (r *run) beginFrom(from layout.CycleID, m snapshot.Manifest) {
	if m.Provider != r.archive.Cycle().Provider {
		r.result.previousCycle, r.result.previousDigest = "", ""
		return
	}
	r.result.previousCycle, r.result.previousDigest, r.result.previousHeader = from, m.Tables[statesTable].Digest, m
}

// samePrevious continues the same cycle as an earlier run of this one.
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
	r.result.previousCycle, r.result.previousDigest, r.result.previousHeader = id, r.before.PreviousDigest, m
	return nil
}

// canonicalOf returns the header of a canonical cycle; false if it does not exist.
func canonicalOf(f durable.ReadFS, id layout.CycleID) (snapshot.Manifest, bool, error) {
	m, _, err := snapshot.OpenCanonical(f, id)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	return m, err == nil, err
}

// remedy adds the command for the repair to the error of a damaged canonical cycle.
func (r *run) remedy(err error) error {
	if snapshot.IsDamage(err) {
		return fmt.Errorf("%w: repair it with mkt recover --tenant %s --product %s", err, r.ClientID, r.Product)
	}
	return err
}

// backfill transforms an earlier cycle, and continues it. It skips a cycle whose content cannot
// be transformed.
func (r *run) backfill(ctx context.Context, id layout.CycleID) error {
	earlier := &run{Options: r.Options, engine: r.engine, started: r.started, isBackfill: true, mustMatch: r.mustMatch}
	earlier.Cycle = id
	err := earlier.transform(ctx)
	log := r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", id, "step", "transform")
	switch {
	case errors.Is(err, reading.ErrQuarantined), errors.Is(err, reading.ErrNoCycle), errors.Is(err, raw.ErrCorrupt):
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

// previousOf returns the raw cycle before one, "" if not known.
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
