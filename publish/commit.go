package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Commit publishes a draft as commit c. The staged snapshot is checked, its folder and change
// segments get their names, and the commit record is created. replace means: a folder of this
// name existed before the run began, and no commit names it. The folder is installed first,
// because whoever installs it may commit its cycle. Commit returns c with the hash of its record.
func (d *Draft) Commit(ctx context.Context, c snapshot.Commit, replace bool) (snapshot.Commit, error) {
	if err := d.check(ctx); err != nil {
		return c, err
	}
	if err := d.installSnapshot(replace); err != nil {
		return c, err
	}
	if err := d.installSegments(); err != nil {
		return c, err
	}
	if _, sum, err := durable.HashFile(d.Root, c.Dir()+"/"+layout.ManifestFile); err != nil || sum != c.ManifestSHA256 {
		return c, errors.Join(err, fmt.Errorf("snapshot was replaced before its commit: %w", ErrConflict))
	}
	c, err := snapshot.SealAfter(d.Root, c, d.Dir+"/commit.json", func(record []byte) error { return d.ship(ctx, c, record) })
	var late *snapshot.LateError
	if errors.As(err, &late) {
		d.Log.Warn("CURRENT was not updated; readers still find the commit", "cycle", d.Cycle, "error", late.Err)
		err = nil
	}
	return c, err
}

func (d *Draft) ship(ctx context.Context, c snapshot.Commit, record []byte) error {
	if d.Store == nil {
		return nil
	}
	err := d.Store.Ship(ctx, d.Root, c, record, slices.Sorted(maps.Keys(d.Segments)))
	if err == nil || errors.Is(err, ErrConflict) {
		return err
	}
	return &StoreError{err}
}

// check loads the staged snapshot in a child process.
func (d *Draft) check(ctx context.Context) error {
	var err error
	if d.Check != nil && products[d.Product].checked {
		err = d.Check(ctx, d.Cycle, d.SnapshotDir())
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotLoadable, err)
	}
	return nil
}

// installSnapshot moves the staged folder to its cycle's name. A folder from before this run is
// left over from an interrupted one: it is kept if it is the same, and quarantined otherwise. A
// folder that appeared later belongs to another publisher.
func (d *Draft) installSnapshot(replace bool) error {
	final := layout.Cycle(layout.SnapshotsDir, d.Cycle)
	err := durable.Install(d.Root, d.SnapshotDir(), final)
	if !errors.Is(err, durable.ErrDiffers) {
		return err
	}
	if replace {
		to, err := durable.MoveInto(d.Root, final, layout.QuarantineDir)
		if err != nil {
			return err
		}
		d.Log.Warn("quarantined a snapshot that was never committed", "cycle", d.Cycle, "to", to)
		if err := durable.Install(d.Root, d.SnapshotDir(), final); !errors.Is(err, durable.ErrDiffers) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", final, ErrConflict)
}

// installSegments gives the staged segments their names. A different file of such a name was
// never committed, since this run owns the cycle's folder.
func (d *Draft) installSegments() error {
	dirs := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(d.Segments)) {
		if err := d.installSegment(d.Segments[name], name); err != nil {
			return err
		}
		dirs[path.Dir(name)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := d.Root.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func (d *Draft) installSegment(staged, name string) error {
	err := d.Root.Link(staged, name)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	same, err := durable.SameFile(d.Root, staged, name)
	if err != nil || same {
		return err
	}
	if _, err := durable.MoveInto(d.Root, name, layout.QuarantineDir); err != nil {
		return err
	}
	return d.Root.Link(staged, name)
}
