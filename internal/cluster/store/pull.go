package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mkt/internal/cluster/store/pack"
	"path"
	"time"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// PullOptions are the options of a pull.
type PullOptions struct {
	// From and To are a span of the time of publication. Zero means from the beginning, or to the
	// end. The newest publication before From is pulled too: it was served at that time.
	From, To time.Time
	DryRun   bool
	Progress func(done, total int) // in publications; may be nil
}

// Pulled is the outcome of a pull, or of its dry run.
type Pulled struct {
	First, Last uint64 // versions; First > Last if there is nothing to copy
	Bytes       int64  // of the packs, if DryRun
	Packs       int    // publications of which more than the record existed
	Archives    int    // files of compacted raw cycles
}

// Pull copies the publications of a span of time from the store into a root. They can be
// verified, explained and served as in the root that published them. It may be killed at any
// point, and continues there. The caller holds the lock of the root.
func (d *Dataset) Pull(ctx context.Context, f durable.FS, o PullOptions) (Pulled, error) {
	p := &pull{d: d, f: f, o: o}
	if err := p.plan(ctx); err != nil || p.done.First > p.done.Last {
		return p.done, err
	}
	err := p.run(ctx)
	return p.done, err
}

type pull struct {
	d    *Dataset
	f    durable.FS
	o    PullOptions
	done Pulled
	last snapshot.Commit

	storeFirst uint64
	marks      retention.Watermarks // of the store
	begins     bool                 // the root is empty
	whole      uint64               // the version after the newest deleted one; 0 if none was deleted
	// snapshots and cycles are the oldest versions whose snapshot and whose raw cycle existed; 0
	// if none did.
	snapshots, cycles uint64
}

// plan finds the versions of the span, and the first one that the root lacks.
func (p *pull) plan(ctx context.Context) error {
	p.done = Pulled{First: 1}
	records := p.d.Records(ctx)
	head, _, err := p.d.Head(ctx, 0)
	if err == nil && head.Version == 0 {
		err = p.d.neverPublished(ctx)
	}
	if err != nil || head.Version == 0 {
		return err
	}
	if p.storeFirst, err = snapshot.First(records); err != nil {
		return err
	}
	if p.marks, err = p.d.watermarks(ctx); err != nil {
		return err
	}
	p.last, p.done.First = head, p.storeFirst
	if !p.o.To.IsZero() {
		if p.last, _, err = snapshot.Search(records, head, func(c snapshot.Commit) bool { return c.PublishedAt.After(p.o.To) }); err != nil || p.last.Version == 0 {
			return err
		}
	}
	if !p.o.From.IsZero() {
		before, after, err := snapshot.Search(records, p.last, func(c snapshot.Commit) bool { return c.PublishedAt.After(p.o.From) })
		if err != nil {
			return err
		}
		if p.done.First = before.Version; before.Version == 0 {
			p.done.First = after.Version
		}
	}
	p.done.Last = p.last.Version
	return p.goOn(ctx)
}

// goOn continues a root that has publications.
func (p *pull) goOn(ctx context.Context) error {
	if p.o.DryRun && p.f == nil {
		return nil
	}
	here, found, err := snapshot.Last(p.f)
	if err != nil {
		return err
	}
	if p.begins = !found; p.begins {
		return nil
	}
	if err := p.d.compare(ctx, here); err != nil {
		return err
	}
	if here.Version+1 < p.done.First {
		return fmt.Errorf("%s: the data root ends at publication %d, and the span begins at %d: pull into an empty folder, or from an earlier time", p.d, here.Version, p.done.First)
	}
	p.done.First = max(p.done.First, here.Version+1)
	return nil
}

func (p *pull) run(ctx context.Context) error {
	if p.o.DryRun {
		return p.measure(ctx)
	}
	if err := snapshot.MakeFolders(p.f); err != nil {
		return err
	}
	if p.begins && p.done.First > 1 {
		if err := snapshot.WriteFirst(p.f, p.done.First); err != nil {
			return err
		}
	}
	if err := p.archives(ctx); err != nil {
		return err
	}
	var c snapshot.Commit
	for n := p.done.First; n <= p.done.Last; n++ {
		if p.o.Progress != nil {
			p.o.Progress(int(n-p.done.First), int(p.done.Last-p.done.First+1))
		}
		var err error
		if c, err = p.one(ctx, n); err != nil {
			return fmt.Errorf("pull publication %d of %s: %w", n, p.d, err)
		}
	}
	if err := p.recordMissing(c); err != nil {
		return err
	}
	if err := snapshot.WriteCurrent(p.f, c); err != nil {
		return err
	}
	return p.d.CopyStates(ctx, p.f)
}

// one copies a publication. Retention may have deleted all but the record.
func (p *pull) one(ctx context.Context, n uint64) (snapshot.Commit, error) {
	c, record, err := snapshot.ReadRecord(p.d.Records(ctx), n)
	if errors.Is(err, fs.ErrNotExist) {
		err = snapshot.ErrStoreLacks
	}
	if err != nil {
		return c, err
	}
	if err = p.d.copyPack(ctx, p.f, c, pack.Archived); err == nil {
		err = p.found(ctx, c)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && n < p.last.Version:
		// Retention deleted it in the store, or in the root before it was pushed. The parts found
		// before it count as deleted too: see recordMissing.
		p.whole, p.snapshots, p.cycles = n+1, 0, 0
	case errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("%w, the last of the span: retention has deleted it in the object store: end the span later, or pull from a backup of the store", errNothingLeft)
	case err != nil:
		return c, err
	default:
		p.done.Packs++
	}
	return c, durable.CreateAgain(p.f, layout.Commit(n), durable.Bytes(record))
}

// found notes the existing parts of a publication, and copies its change log and steps.
func (p *pull) found(ctx context.Context, c snapshot.Commit) error {
	if there, err := durable.Exists(p.f, layout.Cycle(layout.RawDir, c.CycleID)); err != nil {
		return err
	} else if there && p.cycles == 0 {
		p.cycles = c.Version
	}
	m, err := snapshot.Open(p.f, c)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if p.snapshots == 0 {
		p.snapshots = c.Version
	}
	return p.d.copySegments(ctx, p.f, m.Segments())
}

// recordMissing records the parts of the pulled publications which the store no longer had, so
// that they do not look lost.
func (p *pull) recordMissing(last snapshot.Commit) error {
	recorded, err := retention.ReadWatermarks(p.f)
	if err != nil {
		return err
	}
	first, err := snapshot.First(p.f)
	if err != nil {
		return err
	}
	var marks retention.Watermarks
	switch {
	case p.whole == 0 && first == p.storeFirst && p.marks.Newest() <= last.Version:
		marks = p.marks // by the same records
	case p.whole > 0, p.begins && (p.snapshots != first || p.cycles != first):
		if marks, err = retention.Since(p.f, last, max(first, p.snapshots, p.whole), max(first, p.cycles, p.whole)); err != nil {
			return err
		}
	}
	data, err := marks.Raise(recorded)
	if err != nil || data == nil {
		return err
	}
	return durable.Overwrite(p.f, layout.Collected, data)
}

// archives copies the compacted raw cycles of the span.
func (p *pull) archives(ctx context.Context) error {
	prefix := p.d.key(layout.RawDir + "/")
	return p.d.store.objects.List(ctx, prefix, "", func(o object.Object) (bool, error) {
		base := path.Base(o.Key)
		until, ok := layout.ParseRawPack(base)
		from := until.Add(-layout.RawPackSpan)
		if !ok || until.Before(p.o.From) || !p.o.To.IsZero() && from.After(p.o.To) {
			return true, nil
		}
		p.done.Archives++
		return true, p.archive(ctx, layout.RawDir+"/"+base, o.Size)
	})
}

func (p *pull) archive(ctx context.Context, name string, size int64) error {
	if there, err := durable.Exists(p.f, name); err != nil || there {
		return err
	}
	if err := durable.MkdirAllSync(p.f, layout.RawDir); err != nil {
		return err
	}
	r, err := p.d.store.objects.Open(ctx, p.d.key(name))
	if err != nil {
		return err
	}
	defer r.Close()
	return durable.CreateAgain(p.f, name, func(w io.Writer) error {
		n, err := io.Copy(durable.Until(ctx, w), r)
		if err == nil && n != size {
			err = fmt.Errorf("%s: %w: %d bytes instead of %d", name, snapshot.ErrDamaged, n, size)
		}
		return err
	})
}

// measure adds up the size of a pull.
func (p *pull) measure(ctx context.Context) error {
	return p.d.store.objects.List(ctx, p.d.key("packs/"), "", func(o object.Object) (bool, error) {
		version, ok := pack.Parse(path.Base(o.Key))
		if ok && version >= p.done.First && version <= p.done.Last {
			p.done.Packs++
			p.done.Bytes += o.Size
		}
		return !ok || version <= p.done.Last, nil
	})
}
