package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mkt/internal/cluster/store/pack"
	"path"
	"slices"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// CollectOptions are the options of a collection.
type CollectOptions struct {
	Policy    retention.Policy // of the product: see Policy.For
	AfterJump bool             // the clock is right, see retention.Options
	DryRun    bool
	// Lost also deletes the packs of publications that were never committed, because another one
	// took their number. Finding them lists every pack.
	Lost   bool
	Report func(name string, bytes int64) // called with every object before it is deleted; may be nil
}

// Collected counts the deleted objects of the store.
type Collected struct {
	Packs, Segments, Archives int
	Lost                      int // packs of publications without a commit
}

// Collect deletes the packs, change segments and archives that the policy does not keep; commit
// records are always kept. It may be killed at any point, and may run beside readers and writers,
// and beside another collection:
//
//   - A deleted object is at least an hour older than everything that a reader of the newest data
//     reads. A pull of older data finds a publication whole, or takes it for deleted.
//   - A publication still to be committed loses nothing: its pack has a higher number, and its
//     segments are of a later cycle.
//   - Deletions are recorded before they are made. Two collections with different policies may
//     overwrite each other's record, so it is read again at the end.
func (d *Dataset) Collect(ctx context.Context, o CollectOptions) (done Collected, err error) {
	if o.Report == nil {
		o.Report = func(string, int64) {}
	}
	head, _, err := d.Head(ctx, 0)
	if err != nil || head.Version == 0 {
		return done, err
	}
	c := &collector{d: d, ctx: ctx, o: o}
	marks, oldest, err := o.Policy.Whole(d.Records(ctx), head, o.AfterJump)
	if err != nil || oldest.Version == 0 && !o.Lost {
		return done, err
	}
	packs, lost, err := c.packs("", oldest, head)
	if err != nil {
		return done, err
	}
	var segments, archives []object.Object
	if oldest.Version > 0 {
		if segments, archives, err = c.files(oldest, head, marks); err != nil {
			return done, err
		}
	}
	done = Collected{Packs: len(packs), Segments: len(segments), Archives: len(archives), Lost: len(lost)}
	if recorded := slices.Concat(packs, segments, archives); len(recorded) > 0 {
		if err := d.raise(ctx, marks, o.DryRun); err != nil {
			return Collected{}, err
		}
		if err := c.delete(recorded); err != nil {
			return done, err
		}
		if err := d.raise(ctx, marks, o.DryRun); err != nil {
			return done, err
		}
	}
	return done, c.delete(lost)
}

type collector struct {
	d   *Dataset
	ctx context.Context
	o   CollectOptions
}

// packs finds the packs of publications before the oldest kept one, and the packs without a
// commit. It looks at the numbers that begin with digits.
func (c *collector) packs(digits string, oldest, head snapshot.Commit) (old, lost []object.Object, err error) {
	var before []object.Object // packs of one version, as listed so far
	flush := func() error {
		if len(before) < 2 {
			return nil
		}
		more, err := c.d.uncommitted(c.ctx, before)
		lost = append(lost, more...)
		return err
	}
	err = c.d.store.objects.List(c.ctx, c.d.key("packs/"+digits), "", func(o object.Object) (bool, error) {
		version, ok := pack.Parse(path.Base(o.Key))
		switch {
		case !ok:
			return true, nil
		case version < oldest.Version:
			old = append(old, o)
			return true, nil
		case !c.o.Lost || version > head.Version:
			return false, nil
		}
		if len(before) > 0 {
			if of, _ := pack.Parse(path.Base(before[0].Key)); of != version {
				if err := flush(); err != nil {
					return false, err
				}
				before = before[:0]
			}
		}
		before = append(before, o)
		return true, nil
	})
	if err == nil {
		err = flush()
	}
	return old, lost, err
}

// uncommitted returns those of several packs of one committed version that its commit does not
// name.
func (d *Dataset) uncommitted(ctx context.Context, packs []object.Object) (lost []object.Object, err error) {
	version, _ := pack.Parse(path.Base(packs[0].Key))
	commit, err := snapshot.ReadCommit(d.Records(ctx), version)
	if err != nil {
		return nil, err
	}
	for _, o := range packs {
		if o.Key != d.key(pack.Name(commit)) {
			lost = append(lost, o)
		}
	}
	return lost, nil
}

// files finds the segments of the change log and of the steps, and the archives, which no
// publication from oldest to head needs.
func (c *collector) files(oldest, head snapshot.Commit, marks retention.Watermarks) (segments, archives []object.Object, err error) {
	unused, err := retention.UnusedSegments(c.d.Records(c.ctx), oldest, head, func(of snapshot.Commit) (snapshot.Manifest, error) {
		m, err := c.d.Manifest(c.ctx, of)
		if errors.Is(err, pack.ErrNoSnapshot) { // it was pushed without one
			err = fs.ErrNotExist
		}
		return m, err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range []string{layout.ChangesDir, layout.StepsDir} {
		found, err := c.find(dir, func(base string) bool {
			name, ok := parseSegment(base)
			return ok && unused(dir+"/"+name)
		})
		if err != nil {
			return nil, nil, err
		}
		segments = append(segments, found...)
	}
	archives, err = c.find(layout.RawDir, func(base string) bool {
		until, ok := layout.ParseRawPack(base)
		return ok && layout.NewCycleID(until, string(c.d.product)) <= marks.Raw.Before
	})
	return segments, archives, err
}

// find lists the objects of a folder for which remove returns true.
func (c *collector) find(dir string, remove func(base string) bool) (found []object.Object, err error) {
	err = c.d.store.objects.List(c.ctx, c.d.key(dir+"/"), "", func(o object.Object) (bool, error) {
		if remove(path.Base(o.Key)) {
			found = append(found, o)
		}
		return true, nil
	})
	return found, err
}

func (c *collector) delete(objects []object.Object) error {
	for _, o := range objects {
		c.o.Report(o.Key[len(c.d.dir):], o.Size)
		if c.o.DryRun {
			continue
		}
		if err := c.d.store.objects.Delete(c.ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// raiseAttempts bounds the attempts to write the record of deletions, if others write it at the
// same time.
const raiseAttempts = 5

// raise records the deletions in the store, and reads the record back.
func (d *Dataset) raise(ctx context.Context, marks retention.Watermarks, dryRun bool) error {
	for range raiseAttempts {
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
		if err := d.store.objects.Put(ctx, d.key(layout.Collected), durable.Bytes(data)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %s: several collections run at once: run mkt gc again later", d, layout.Collected)
}

// watermarks reads the record of deletions in the store.
func (d *Dataset) watermarks(ctx context.Context) (retention.Watermarks, error) {
	return retention.ReadWatermarks(d.Records(ctx))
}
