package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mkt/internal/cluster/store/pack"
	"path"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// PushOptions are the options of a push.
type PushOptions struct {
	DryRun   bool
	Progress func(done, total int) // in publications; may be nil
}

// Pushed is the outcome of a push, or of its dry run.
type Pushed struct {
	First, Last uint64 // versions; First > Last if there is nothing to store
	Packs       int    // publications of which more than the record was left
	Archives    int    // files of compacted raw cycles
}

// Push stores every publication of a root which the store lacks, oldest first, with all that
// retention has left of it. It may be killed at any point, and continues there. The caller holds
// the lock of the root.
func (d *Dataset) Push(ctx context.Context, f durable.FS, o PushOptions) (Pushed, error) {
	here, found, err := snapshot.Last(f)
	if err != nil || !found {
		return Pushed{First: 1}, err
	}
	from, err := d.pushFrom(ctx, f, here, o.DryRun)
	if err != nil {
		return Pushed{}, err
	}
	p := Pushed{First: from, Last: here.Version}
	if from > here.Version {
		return p, nil
	}
	if p.Archives, err = d.pushArchives(ctx, f, o.DryRun); err != nil {
		return p, err
	}
	if err := d.pushSegments(ctx, f, o.DryRun); err != nil {
		return p, err
	}
	if err := d.pushWatermarks(ctx, f, o.DryRun); err != nil {
		return p, err
	}
	for n := from; n <= here.Version; n++ {
		if o.Progress != nil {
			o.Progress(int(n-from), int(here.Version-from+1))
		}
		packed, err := d.pushOne(ctx, f, n, o.DryRun)
		if err != nil {
			return p, fmt.Errorf("push publication %d of %s: %w", n, d, err)
		}
		if packed {
			p.Packs++
		}
	}
	return p, nil
}

// pushFrom returns the first version that the store lacks. The commit before it must be the same
// in both.
func (d *Dataset) pushFrom(ctx context.Context, f durable.FS, here snapshot.Commit, dryRun bool) (uint64, error) {
	there, _, err := d.Head(ctx, 0)
	if err != nil {
		return 0, err
	}
	first, err := snapshot.First(f)
	if err != nil {
		return 0, err
	}
	common := min(there.Version, here.Version)
	switch {
	case there.Version == 0 && dryRun:
		return first, nil
	case there.Version == 0:
		return first, d.beginAt(ctx, first)
	case common < first && there.Version < here.Version:
		return 0, fmt.Errorf("%s: the store ends at publication %d, and this data root begins at %d: first push the data root with the publications between the two", d, there.Version, first)
	case common < first:
		return here.Version + 1, nil // nothing to compare: the store has more than this root
	}
	mine, err := snapshot.ReadCommit(f, common)
	if err != nil {
		return 0, err
	}
	theirs, err := snapshot.ReadCommit(d.Records(ctx), common)
	if err != nil {
		return 0, err
	}
	if mine.SHA256 != theirs.SHA256 {
		return 0, fmt.Errorf("%s: publication %d: %w", d, common, ErrDiverged)
	}
	return common + 1, nil
}

// beginAt records in an empty store the number of its first publication, unless it is 1.
func (d *Dataset) beginAt(ctx context.Context, first uint64) error {
	if first == 1 {
		return nil
	}
	data, err := snapshot.EncodeFirst(first)
	if err != nil {
		return err
	}
	return d.store.objects.Create(ctx, d.key(layout.First), data)
}

func (d *Dataset) pushOne(ctx context.Context, f durable.FS, n uint64, dryRun bool) (packed bool, err error) {
	c, record, err := snapshot.ReadRecord(f, n)
	if err != nil {
		return false, err
	}
	if dryRun {
		return isLeft(f, c)
	}
	err = d.shipPack(ctx, f, c)
	if packed = err == nil; errors.Is(err, errNothingLeft) {
		err = nil
	}
	if err == nil {
		err = d.store.objects.Create(ctx, d.key(commitName(n)), record)
	}
	return packed, err
}

// isLeft reports whether retention has left more of a publication than its record.
func isLeft(f durable.ReadFS, c snapshot.Commit) (bool, error) {
	for _, dir := range pack.Folders(c.CycleID) {
		if there, err := durable.Exists(f, dir); err != nil || there {
			return there, err
		}
	}
	return false, nil
}

func (d *Dataset) pushSegments(ctx context.Context, f durable.FS, dryRun bool) error {
	for _, dir := range []string{layout.ChangesDir, layout.StepsDir} {
		_, err := d.pushFiles(ctx, f, dir, dryRun, func(name string) (string, error) {
			if _, _, ok := layout.ParseSegment(path.Base(name)); !ok {
				return "", nil
			}
			_, sum, err := durable.HashFile(f, name)
			return segmentName(name, sum), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Dataset) pushArchives(ctx context.Context, f durable.FS, dryRun bool) (int, error) {
	return d.pushFiles(ctx, f, layout.RawDir, dryRun, func(name string) (string, error) {
		if _, ok := layout.ParseRawPack(path.Base(name)); !ok {
			return "", nil
		}
		return name, nil
	})
}

// pushFiles stores the files of a folder that the store lacks, and counts them. named returns
// the name of a file in the store, "" to leave it out.
func (d *Dataset) pushFiles(ctx context.Context, f durable.FS, dir string, dryRun bool, named func(name string) (string, error)) (n int, err error) {
	entries, err := f.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		stored, err := named(name)
		if err != nil {
			return n, err
		}
		if stored == "" {
			continue
		}
		info, err := f.Stat(name)
		if err != nil {
			return n, err
		}
		size, there, err := d.store.objects.Exists(ctx, d.key(stored))
		if err != nil {
			return n, err
		}
		if there && size == info.Size() {
			continue
		}
		n++
		if dryRun {
			continue
		}
		if err := d.putFile(ctx, f, name, stored); err != nil {
			return n, err
		}
	}
	return n, nil
}

// pushWatermarks records in the store the deletions made by retention in a root.
func (d *Dataset) pushWatermarks(ctx context.Context, f durable.ReadFS, dryRun bool) error {
	marks, err := retention.ReadWatermarks(f)
	if err != nil {
		return err
	}
	return d.raise(ctx, marks, dryRun)
}
