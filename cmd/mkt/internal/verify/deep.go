package verify

import (
	"context"
	"errors"
	"io/fs"

	"mkt/fetch/raw"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/identity"
)

// Deep is what making again takes.
type Deep struct {
	Key     identity.Key
	Data    durable.FS // the data root, for the id key's fingerprint; only read
	Scratch durable.FS // an empty folder elsewhere
	Version string     // of the binary
}

// deep makes every canonical cycle that is there again out of its raw one, and
// every snapshot out of the one before it and its canonical cycle.
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
			if err := v.transformAgain(ctx, id); err != nil {
				return err
			}
		}
		v.step()
	}
	for i, c := range v.order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		first := i == 0 && c.Version > 1 || i > 0 && v.order[i-1].Version != c.Version-1
		if there, err := durable.Exists(v.Root, c.Dir()); err != nil || !there || !v.wanted(c.CycleID) || first {
			if err != nil {
				return err
			}
			continue
		}
		if err := v.publishAgain(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) transformAgain(ctx context.Context, id layout.CycleID) error {
	was, _, err := snapshot.OpenCanonical(v.Root, id)
	if err != nil {
		return nil // told before
	}
	dir := layout.Cycle(layout.CanonicalDir, id)
	details := v.detailsOf(dir)
	if err := v.Deep.Scratch.RemoveAll(dir); err != nil {
		return err
	}
	_, err = transform.Run(ctx, transform.Options{
		ClientID: v.ClientID, Product: v.Product, Cycle: id, Key: v.Deep.Key, Version: v.Deep.Version, Details: details,
		Root: durable.Over{Above: v.Deep.Scratch, Below: v.Root}, Data: durable.Over{Above: v.Deep.Scratch, Below: v.Deep.Data},
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transform.ErrKey):
		return err
	case errors.Is(err, transform.ErrRules):
		v.note("%s was made by rules %s: only a build with these makes it again", dir, was.DerivationVersion)
		return nil
	case errors.Is(err, transform.ErrNoPrevious), errors.Is(err, raw.ErrNotSealed), errors.Is(err, raw.ErrCorrupt):
		v.note("%s cannot be made again: what it was made from is gone or damaged", dir)
		return nil
	case err != nil:
		v.find("TRANSFORM_DIFFERS", dir, fixBackup, "it cannot be made again: %s", err)
		return nil
	}
	defer v.Deep.Scratch.RemoveAll(dir)
	v.report.Checked.Remade++
	return v.compare(dir, was)
}

// detailsOf is how many fixtures of a live cycle have their details, which is a
// setting; 0 when there are none.
func (v *verifier) detailsOf(dir string) (most int) {
	for row, err := range snapshot.Rows[table.LiveRow](v.Root, dir+"/"+layout.LiveFile) {
		if err != nil {
			return 0
		}
		if row.DetailRank != nil {
			most = max(most, int(*row.DetailRank))
		}
	}
	return most
}

// compare holds what was made in the scratch folder against what is there.
func (v *verifier) compare(dir string, was snapshot.Manifest) error {
	made, _, err := snapshot.ReadManifest(v.Deep.Scratch, dir+"/"+layout.CanonicalFile)
	if err != nil {
		return err
	}
	names := []string{layout.CanonicalFile}
	for _, file := range was.Files {
		names = append(names, file.Name)
	}
	for _, name := range names {
		_, want, err := durable.HashFile(v.Root, dir+"/"+name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // told before
		}
		if err != nil {
			return err
		}
		if _, got, err := durable.HashFile(v.Deep.Scratch, dir+"/"+name); err == nil && got == want {
			continue
		}
		key, _ := tableOf(name)
		if was.Tables[key].Digest != "" && was.Tables[key].Digest == made.Tables[key].Digest {
			v.note("%s comes out in other bytes, with the same rows", dir+"/"+name)
			continue
		}
		v.find("TRANSFORM_DIFFERS", dir+"/"+name, fixBackup, "made again out of the raw cycle it is another")
	}
	return nil
}

func (v *verifier) publishAgain(ctx context.Context, c snapshot.Commit) error {
	all, err := repair.Differences(ctx, publish.Options{
		ClientID: v.ClientID, Product: v.Product, RunID: "verify", Version: v.Deep.Version, Root: durable.Over{Above: v.Deep.Scratch, Below: v.Root},
	}, c)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isBad(err), errors.Is(err, publish.ErrNoCycle):
		v.note("version %d cannot be made again: what it was made from is gone or damaged", c.Version)
		return nil
	case err != nil:
		return err
	}
	v.report.Checked.Remade++
	for _, d := range all {
		name := c.Dir() + "/" + d.File
		if c.Segment != nil && d.File == c.Segment.File {
			name = d.File
		}
		if d.SameRows {
			v.note("%s comes out in other bytes, with the same rows", name)
			continue
		}
		v.find("PUBLICATION_DIFFERS", name, v.fixMend(), "made again out of the publication before it and its canonical cycle: %s", d.What)
	}
	return nil
}
