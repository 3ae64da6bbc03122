package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// remade is a publication made once more: its files below staging, its manifest,
// and the hash of that.
type remade struct {
	*run
	manifest snapshot.Manifest
	sum      string
}

// again makes publication c once more out of the one before it and of its
// canonical cycle, below staging. A publication is a function of the two, and of
// little more: the times are those of its commit, and what else there is to know
// is tried. sealed is its manifest, nil when that is lost.
func (r *run) again(ctx context.Context, c snapshot.Commit, sealed *snapshot.Manifest) (made remade, err error) {
	for _, known := range r.guesses(c, sealed) {
		made, err = r.remake(ctx, c, known)
		if err != nil || made.fits(c, sealed) {
			return made, err
		}
	}
	return made, nil
}

// guess is what a publication does not tell of itself but in its manifest.
type guess struct {
	first
	acceptRemovals bool
}

func (r *run) guesses(c snapshot.Commit, sealed *snapshot.Manifest) (all []guess) {
	versions := []string{r.Version}
	if sealed != nil {
		versions = []string{sealed.BinaryVersion}
	} else if m, _, err := snapshot.OpenCanonical(r.Root, c.CycleID); err == nil && m.BinaryVersion != r.Version {
		versions = append(versions, m.BinaryVersion)
	}
	for _, version := range versions {
		for _, accept := range []bool{false, true} {
			all = append(all, guess{first{publishedAt: c.PublishedAt, binaryVersion: version}, accept})
		}
	}
	return all
}

// fits tells whether what was made is what was published, as far as the one
// guess that changes rows can tell.
func (m remade) fits(c snapshot.Commit, sealed *snapshot.Manifest) bool {
	if sealed == nil {
		return m.sum == c.ManifestSHA256
	}
	return m.plan.held == 0 || int64(m.plan.held) == sealed.Counters["fixtures_held"]
}

func (r *run) remake(ctx context.Context, c snapshot.Commit, known guess) (remade, error) {
	a := newRun(r.Options, r.product)
	a.cycle, a.AcceptRemovals, a.asIs, a.mended = c.CycleID, known.acceptRemovals, r.asIs, r.mended
	a.staging += "/again-" + string(c.CycleID)
	if err := r.Root.RemoveAll(a.staging); err != nil {
		return remade{}, err
	}
	if err := durable.MkdirAllSync(r.Root, a.staging+"/snapshot"); err != nil {
		return remade{}, err
	}
	a.base.LastSeq = c.FirstSeq - 1 // of the first one: where its history began
	if c.Version > 1 {
		if err := a.startFrom(ctx, c.Version-1); err != nil {
			return remade{}, err
		}
	}
	if c.Republishes > 0 {
		return a.republished(ctx, c, known)
	}
	if err := a.checkCanonical(); err != nil {
		return remade{}, fmt.Errorf("canonical cycle %s: %w", c.CycleID, err)
	}
	if a.product.decide != nil {
		if err := a.product.decide(ctx, a); err != nil {
			return remade{}, err
		}
	}
	m, err := a.stage(ctx, known.first)
	if err != nil {
		return remade{}, err
	}
	sum, err := snapshot.CreateManifest(r.Root, a.staging+"/snapshot", m)
	return remade{a, m, sum}, err
}

// republished makes the first publication of a history again.
func (r *run) republished(ctx context.Context, c snapshot.Commit, known guess) (remade, error) {
	source, err := snapshot.ReadCommit(r.Root, c.Republishes)
	if err != nil {
		return remade{}, err
	}
	m, err := r.openMended(ctx, source)
	if err != nil {
		return remade{}, err
	}
	if m, err = r.copySnapshot(ctx, source, m, c, known.binaryVersion); err != nil {
		return remade{}, err
	}
	sum, err := snapshot.CreateManifest(r.Root, r.staging+"/snapshot", m)
	return remade{r, m, sum}, err
}

// startFrom makes a committed version the one that is built upon.
func (r *run) startFrom(ctx context.Context, version uint64) error {
	c, err := snapshot.ReadCommit(r.Root, version)
	if err != nil {
		return err
	}
	m, err := r.openMended(ctx, c)
	if err != nil {
		return err
	}
	r.base, r.previous = c, &m
	return nil
}

// isDamage tells what was sealed and is not there as it was from a fault of the
// disk.
func isDamage(err error) bool {
	return errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}
