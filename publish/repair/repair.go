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

// Result is what Run did.
type Result struct {
	Version      uint64   // newest publication, 0 if there is none
	Checked      int      // publications whose files were read
	Repaired     []string // files that were replaced, byte for byte
	Unrepairable []error  // what is still damaged: each is ErrUnrepairable
}

// Run reads every publication that retention has not deleted, and rebuilds what is
// damaged or missing of it. It also repairs CURRENT. It may be killed at any point.
// What cannot be rebuilt is in the result, not in the error.
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
	if err := snapshot.Repair(r.Root, head); err != nil {
		return done, err
	}
	marks, err := retention.ReadWatermarks(r.Root)
	unknown := errors.Is(err, snapshot.ErrDamaged) // what is missing may be deleted or lost
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
			break // retention deleted it, and all before it
		}
		done.Checked++
		err = r.publication(ctx, head, c, read)
		switch {
		case errors.Is(err, ErrUnrepairable):
			done.Unrepairable = append(done.Unrepairable, fmt.Errorf("version %d: %w", c.Version, err))
		case err != nil:
			return done, fmt.Errorf("version %d: %w", c.Version, err)
		}
	}
	return done, nil
}

// publication reads everything that a commit names and is not in read, and repairs it.
func (r *rebuilder) publication(ctx context.Context, head, c snapshot.Commit, read map[string]bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m, err := r.manifest(ctx, c)
	if err != nil {
		return err
	}
	if err := r.snapshot(ctx, c, m); err != nil {
		return err
	}
	for _, s := range m.Changes {
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

// segment repairs a damaged segment of the change log, by rebuilding the publication
// that wrote it.
func (r *rebuilder) segment(ctx context.Context, head snapshot.Commit, s snapshot.Segment, why error) error {
	cycle, _ := layout.CycleOfSegment(s.File)
	c, found, err := snapshot.OfCycle(r.Root, head, cycle)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: %w (no publication is of its cycle)", why, ErrUnrepairable)
	}
	m, err := r.manifest(ctx, c)
	if snapshot.IsDamage(err) && !errors.Is(err, ErrUnrepairable) {
		err = fmt.Errorf("%w (%w)", ErrUnrepairable, err)
	}
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
