package publish

import (
	"context"
	"errors"
	"fmt"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Mended is what Mend did.
type Mended struct {
	Version uint64   // newest publication, 0 when there is none
	Checked int      // publications whose files were read
	Files   []string // put back, byte for byte
	Lost    []error  // what is damaged still: each ErrBeyondMending
}

// Mend reads every publication that retention has not let go of, and makes again
// what is damaged or missing of it and can be: see mend. CURRENT is made right. It
// may be killed at any point. What is lost is in the result, not in the error.
func Mend(ctx context.Context, o Options) (done Mended, err error) {
	if o, err = o.check(); err != nil {
		return Mended{}, err
	}
	r := newRun(o, products[o.Product])
	defer r.Root.RemoveAll(r.staging)
	defer func() { done.Files = *r.mended }()
	head, found, err := snapshot.Last(r.Root)
	if err != nil || !found {
		return done, err
	}
	done.Version = head.Version
	if err := snapshot.Repair(r.Root, head); err != nil {
		return done, err
	}
	floors, err := ReadFloors(r.Root)
	unknown := errors.Is(err, snapshot.ErrDamaged) // what is missing may be deleted or lost
	if err != nil && !unknown {
		return done, err
	}
	for c := head; ; {
		kept, err := durable.Exists(r.Root, c.Dir())
		if err != nil {
			return done, err
		}
		if !kept && c.Version != head.Version && (unknown || floors.Snapshots.Covers(c.CycleID)) {
			return done, nil // retention let it go, and all before it
		}
		done.Checked++
		err = r.mendWhole(ctx, c)
		switch {
		case errors.Is(err, ErrBeyondMending):
			done.Lost = append(done.Lost, err)
		case err != nil:
			return done, err
		}
		if c.Version == 1 {
			return done, nil
		}
		if c, err = snapshot.ReadCommit(r.Root, c.Version-1); err != nil {
			return done, err
		}
	}
}

// mendWhole reads all that a commit names, and mends it.
func (r *run) mendWhole(ctx context.Context, c snapshot.Commit) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m, err := r.openMended(ctx, c)
	if err != nil {
		return fmt.Errorf("version %d: %w", c.Version, err)
	}
	if err := r.verifyMended(ctx, c, m); err != nil {
		return fmt.Errorf("version %d: %w", c.Version, err)
	}
	for _, s := range m.Changes {
		if err := r.mendLog(ctx, s); err != nil {
			return fmt.Errorf("version %d: %w", c.Version, err)
		}
	}
	return nil
}

// mendLog reads one segment of the change log, and makes again the publication
// that it came with when it is damaged.
func (r *run) mendLog(ctx context.Context, s snapshot.Segment) error {
	if r.read[s.File] {
		return nil
	}
	r.read[s.File] = true
	err := snapshot.VerifySegment(r.Root, s)
	if isDamage(err) {
		return r.mendSegmentOf(ctx, s, err)
	}
	return err
}

func (r *run) mendSegmentOf(ctx context.Context, s snapshot.Segment, why error) error {
	cycle, _ := layout.CycleOfSegment(s.File)
	head, _, err := snapshot.Last(r.Root)
	if err != nil {
		return err
	}
	c, err := committed(r.Root, cycle, head)
	if err != nil {
		return err
	}
	if c.CycleID != cycle {
		return fmt.Errorf("%w: %w (no publication is of its cycle)", why, ErrBeyondMending)
	}
	m, err := r.openMended(ctx, c)
	if isDamage(err) && !errors.Is(err, ErrBeyondMending) {
		err = fmt.Errorf("%w (%w)", ErrBeyondMending, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	if err := r.mend(ctx, c, &m, why); err != nil {
		return err
	}
	if err := snapshot.VerifySegment(r.Root, s); err != nil {
		return fmt.Errorf("%w: %w", why, ErrBeyondMending)
	}
	return nil
}
