package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// first is what an earlier, broken run of this cycle wrote and this one takes
// over, so that both write the same bytes.
type first struct {
	publishedAt   time.Time
	binaryVersion string
	inTheWay      bool // a folder is there that no commit names
}

// write stages the snapshot and its change segment, lets the child look at it,
// and seals.
func (r *run) write(ctx context.Context) error {
	if err := durable.MkdirAllSync(r.Root, r.staging+"/snapshot"); err != nil {
		return err
	}
	before, err := r.takeOver()
	if err != nil {
		return err
	}
	manifest, err := r.stage(ctx, before)
	if err != nil {
		return err
	}
	sum, err := snapshot.CreateManifest(r.Root, r.staging+"/snapshot", manifest)
	if err != nil {
		return err
	}
	if err := r.load(ctx); err != nil {
		return err
	}
	return r.sealAs(r.commit(manifest, sum), before.inTheWay)
}

// load lets the child look at what is staged.
func (r *run) load(ctx context.Context) error {
	if r.Check != nil && r.product.checked {
		if err := r.Check(ctx, r.cycle, r.staging+"/snapshot"); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w: %w", ErrUnfit, err)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// takeOver settles the times of this publication: those of an earlier run that
// did not come to its commit, else published_at is now, but after the previous
// publication and not before the data was processed, whatever the clock says.
func (r *run) takeOver() (first, error) {
	f := first{binaryVersion: r.Version}
	name := layout.Cycle(layout.SnapshotsDir, r.cycle)
	there, err := durable.Exists(r.Root, name)
	if err != nil {
		return f, err
	}
	f.inTheWay = there
	f.publishedAt = r.Now().UTC().Truncate(time.Millisecond)
	floor := r.canonical.ProcessedAt.UTC()
	if r.previous != nil && !floor.After(r.base.PublishedAt) {
		floor = r.base.PublishedAt.Add(time.Millisecond)
	}
	if f.publishedAt.Before(floor) {
		f.publishedAt = floor
	}
	if !there {
		return f, nil
	}
	m, _, err := snapshot.ReadManifest(r.Root, name+"/"+layout.ManifestFile)
	ours := err == nil && m.CanonicalSHA256 == r.canonicalSum && m.PreviousManifestSHA256 == r.base.ManifestSHA256
	if ours && m.PublishedAt != nil && !m.PublishedAt.Before(floor) {
		f.publishedAt, f.binaryVersion = *m.PublishedAt, m.BinaryVersion
	}
	return f, nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
