package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// CollectOptions are the options of a collection.
type CollectOptions struct {
	Policy    retention.Policy // of the product: see Policy.For
	AfterJump bool             // the clock is right, see retention.Options
	DryRun    bool
	Report    func(name string) // called with every object before it is deleted; may be nil
}

// Collected counts what was deleted in the store.
type Collected struct {
	Packs, Segments, Archives int
}

// Collect deletes the packs, change segments and archives of publications that the policy
// does not keep; commit records are always kept. It may be killed at any point, and may
// run beside readers and writers: what it deletes is older than what any of them reads, by
// an hour at least. What will be missing is recorded first.
func (d *Dataset) Collect(ctx context.Context, o CollectOptions) (done Collected, err error) {
	if o.Report == nil {
		o.Report = func(string) {}
	}
	head, _, err := d.Head(ctx, 0)
	if err != nil || head.Version == 0 {
		return done, err
	}
	marks, oldest, err := o.Policy.Whole(d.Records(ctx), head, o.AfterJump)
	if err != nil || oldest.Version == 0 {
		return done, err
	}
	unused, err := d.unusedSegments(ctx, oldest, head)
	if err != nil {
		return done, err
	}
	c := &collector{d: d, ctx: ctx, o: o}
	packs, err := c.find("packs/", func(base string) (remove, more bool) {
		version, ok := parsePack(base)
		return ok && version < oldest.Version, !ok || version < oldest.Version
	})
	if err != nil {
		return done, err
	}
	segments, err := c.find(layout.ChangesDir+"/", func(base string) (remove, more bool) {
		name, ok := parseSegment(base)
		return ok && unused(name), true
	})
	if err != nil {
		return done, err
	}
	archives, err := c.find(layout.RawDir+"/", func(base string) (remove, more bool) {
		until, ok := layout.ParseRawPack(base)
		return ok && layout.NewCycleID(until, string(d.product)) <= marks.Raw.Before, true
	})
	if err != nil || len(packs)+len(segments)+len(archives) == 0 {
		return done, err
	}
	if err := d.raise(ctx, marks, o.DryRun); err != nil {
		return done, err
	}
	done = Collected{len(packs), len(segments), len(archives)}
	return done, c.delete(slices.Concat(packs, segments, archives))
}

func (d *Dataset) unusedSegments(ctx context.Context, oldest, head snapshot.Commit) (func(string) bool, error) {
	var kept []snapshot.Manifest
	for _, c := range []snapshot.Commit{oldest, head} {
		m, err := d.Manifest(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("publication %d: %w", c.Version, err)
		}
		kept = append(kept, m)
	}
	return retention.UnusedSegments(oldest, head, kept...), nil
}

// raise records in the store what is deleted there.
func (d *Dataset) raise(ctx context.Context, marks retention.Watermarks, dryRun bool) error {
	recorded, err := d.watermarks(ctx)
	if errors.Is(err, snapshot.ErrDamaged) {
		recorded, err = retention.Watermarks{}, nil
	}
	if err != nil {
		return err
	}
	data, err := marks.Raise(recorded)
	if err != nil || data == nil || dryRun {
		return err
	}
	return d.store.objects.put(ctx, d.key(layout.Collected), writing(data))
}

type collector struct {
	d   *Dataset
	ctx context.Context
	o   CollectOptions
}

// find lists the objects below a folder that are to be deleted, until decide says that
// there are no more.
func (c *collector) find(dir string, decide func(base string) (remove, more bool)) (names []string, err error) {
	err = c.d.store.objects.list(c.ctx, c.d.key(dir), "", func(o object) (bool, error) {
		remove, more := decide(path.Base(o.key))
		if remove {
			names = append(names, dir+path.Base(o.key))
		}
		return more, nil
	})
	return names, err
}

func (c *collector) delete(names []string) error {
	for _, name := range names {
		c.o.Report(name)
		if c.o.DryRun {
			continue
		}
		if err := c.d.store.objects.delete(c.ctx, c.d.key(name)); err != nil {
			return err
		}
	}
	return nil
}
