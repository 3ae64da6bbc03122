package verify

import (
	"context"
	"errors"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/identity"
)

// Deep are the options for rebuilding.
type Deep struct {
	Key     identity.Key
	Data    durable.FS // the data root, for the id key's fingerprint; only read
	Scratch durable.FS // an empty folder elsewhere
	Version string     // of the binary
}

// deep rebuilds every canonical cycle on disk from its raw one, and every snapshot
// from the one before it and its canonical cycle.
func (v *verifier) deep(ctx context.Context) error {
	ids, err := v.cyclesIn(layout.CanonicalDir)
	if err != nil {
		return err
	}
	v.total += len(ids)
	for _, id := range ids {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if v.wanted(id) {
			if err := v.rebuildCycle(ctx, id); err != nil {
				return err
			}
		}
		v.step()
	}
	for i, c := range v.order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hasBase := c.Version == 1 || i > 0 && v.order[i-1].Version == c.Version-1
		there, err := durable.Exists(v.Root, c.Dir())
		if err == nil && there && hasBase && v.wanted(c.CycleID) {
			err = v.rebuildPublication(ctx, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) rebuildCycle(ctx context.Context, id layout.CycleID) error {
	was, _, err := snapshot.OpenCanonical(v.Root, id)
	if err != nil {
		return nil // already a finding
	}
	dir := layout.Cycle(layout.CanonicalDir, id)
	if err := v.Deep.Scratch.RemoveAll(dir); err != nil {
		return err
	}
	defer v.Deep.Scratch.RemoveAll(dir)
	_, err = transform.Rebuild(ctx, transform.Options{
		ClientID: v.ClientID, Product: v.Product, Cycle: id, Key: v.Deep.Key, Version: v.Deep.Version,
		Root: durable.Over{Above: v.Deep.Scratch, Below: v.Root}, Data: durable.Over{Above: v.Deep.Scratch, Below: v.Deep.Data},
	}, &was)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transform.ErrKey):
		return err
	case errors.Is(err, transform.ErrRules):
		v.note("%s was made by rules %s: only a build with these rules can rebuild it", dir, was.DerivationVersion)
		return nil
	case transform.IsUnavailable(err):
		v.note("%s cannot be rebuilt: one of its inputs is missing or damaged", dir)
		return nil
	case err != nil:
		v.addFinding("TRANSFORM_DIFFERS", dir, fixBackup, "it cannot be rebuilt: %s", err)
		return nil
	}
	v.report.Checked.Rebuilt++
	made, _, err := snapshot.ReadManifest(v.Deep.Scratch, dir+"/"+layout.CanonicalFile)
	if err != nil {
		return err
	}
	for _, d := range snapshot.Differences(was, made, layout.CanonicalFile) {
		v.different("TRANSFORM_DIFFERS", dir+"/"+d.File, fixBackup, "its raw cycle", d)
	}
	return nil
}

func (v *verifier) rebuildPublication(ctx context.Context, c snapshot.Commit) error {
	all, err := repair.Differences(ctx, publish.Options{
		ClientID: v.ClientID, Product: v.Product, RunID: "verify", Version: v.Deep.Version, Root: durable.Over{Above: v.Deep.Scratch, Below: v.Root},
	}, c)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isFileFault(err), errors.Is(err, publish.ErrNoCycle):
		v.note("version %d cannot be rebuilt: the snapshot before it or its canonical cycle is missing or damaged", c.Version)
		return nil
	case err != nil:
		return err
	}
	v.report.Checked.Rebuilt++
	for _, d := range all {
		name := c.Dir() + "/" + d.File
		if _, isSegment := layout.CycleOfSegment(d.File); isSegment {
			name = d.File
		}
		v.different("PUBLICATION_DIFFERS", name, v.fixRepair(), "the publication before it and its canonical cycle", d)
	}
	return nil
}

func (v *verifier) different(code, name, fix, from string, d snapshot.Difference) {
	if d.SameRows {
		v.note("%s has other bytes with the same rows when it is rebuilt", name)
		return
	}
	v.addFinding(code, name, fix, "rebuilt from %s: %s", from, d.What)
}
