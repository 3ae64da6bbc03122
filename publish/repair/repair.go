package repair

import (
	"context"
	"errors"
	"fmt"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Result is the result of [Run].
type Result struct {
	Version      uint64   // of the newest publication; 0 if there is none
	Checked      int      // publications whose files were read
	Repaired     []string // replaced byte for byte
	Unrepairable []error  // files still damaged: each error is ErrUnrepairable
}

// Run verifies every publication kept by retention, and rebuilds its damaged or missing files. It
// also repairs CURRENT. It may be killed at any point. Files that cannot be rebuilt are in the
// result, not in the error.
func Run(ctx context.Context, o publish.Options) (done Result, err error) {
	r, err := newRebuilder(o)
	if err != nil {
		return Result{}, err
	}
	defer r.Root.RemoveAll(r.Staging())
	defer func() { done.Repaired = r.repaired }()
	head, found, err := r.Head()
	if err != nil || !found {
		return done, err
	}
	done.Version = head.Version
	if err := snapshot.Recover(r.Root, head); err != nil {
		return done, err
	}
	marks, err := retention.ReadWatermarks(r.Root)
	unknown := errors.Is(err, snapshot.ErrDamaged) // then a missing snapshot may have been deleted or lost
	if err != nil && !unknown {
		return done, err
	}
	read := map[string]bool{}
	for c, err := range snapshot.Backward(r.Root, head) {
		if err != nil {
			return done, err
		}
		kept, err := durable.Exists(r.Root, c.Dir())
		if err != nil {
			return done, err
		}
		if !kept && c.Version != head.Version && (unknown || marks.Snapshots.Covers(c.CycleID)) {
			break // retention deleted this and all earlier ones
		}
		done.Checked++
		err = r.publication(ctx, head, c, read)
		switch {
		case errors.Is(err, ErrUnrepairable):
			otherwise := "; it is of an earlier history, which no client reads"
			if c.HistoryID == head.HistoryID {
				otherwise = fmt.Sprintf(", or begin a new history: mkt recover --new-history --tenant %s --product %s", r.ClientID, r.Product)
			}
			done.Unrepairable = append(done.Unrepairable, fmt.Errorf("version %d: %w: restore the file from a backup%s", c.Version, err, otherwise))
		case err != nil:
			return done, fmt.Errorf("version %d: %w", c.Version, err)
		}
	}
	return done, nil
}

// publication repairs everything named by a commit, except the segments in read.
func (r *rebuilder) publication(ctx context.Context, head, c snapshot.Commit, read map[string]bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m, err := r.snapshot(ctx, c)
	if err != nil {
		return err
	}
	for _, s := range m.Segments() {
		if read[s.File] {
			continue
		}
		read[s.File] = true
		err := snapshot.VerifySegment(r.Root, s)
		if snapshot.IsDamage(err) {
			err = r.segment(ctx, head, s, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// segment repairs a damaged segment of the change log or of the steps. It rebuilds the
// publication that wrote it.
func (r *rebuilder) segment(ctx context.Context, head snapshot.Commit, s snapshot.Segment, why error) error {
	cycle, _ := layout.CycleOfSegment(s.File)
	c, found, err := snapshot.OfCycle(r.Root, head, cycle)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: %w (its cycle was never published)", why, ErrUnrepairable)
	}
	m, err := r.manifest(ctx, c)
	if err != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	if err := r.repairFiles(ctx, c, &m, why); err != nil {
		return err
	}
	if err := snapshot.VerifySegment(r.Root, s); err != nil {
		return fmt.Errorf("%w: %w", why, ErrUnrepairable)
	}
	return nil
}
