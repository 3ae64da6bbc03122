package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mkt/cmd/mkt/internal/cli"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/identity"
)

// deriveAgain derives damaged canonical files again, from the archived answers. A snapshot whose
// rows are all of its own cycle shares its files with the canonical cycle: damage to one is
// damage to both. A file is replaced by the very bytes that were sealed, or not at all. It
// returns the names of the replaced files.
func (g *Group) deriveAgain(ctx context.Context, p cli.Dataset, root *durable.Disk) (replaced []string, err error) {
	cycles, err := snapshot.CyclesIn(root, layout.CanonicalDir)
	if err != nil {
		return nil, err
	}
	for _, id := range cycles {
		if ctx.Err() != nil {
			return replaced, context.Cause(ctx)
		}
		was, _, err := snapshot.OpenCanonical(root, id)
		if err != nil {
			continue // publish and verify say so
		}
		var damaged []snapshot.File
		for _, file := range was.Files {
			err := snapshot.Verify(root, layout.Cycle(layout.CanonicalDir, id), was.Only(file.Name))
			if snapshot.IsDamage(err) {
				damaged = append(damaged, file)
			} else if err != nil {
				return replaced, err
			}
		}
		if len(damaged) == 0 {
			continue
		}
		names, err := g.deriveFiles(ctx, p, root, was, damaged)
		replaced = append(replaced, names...)
		if err != nil {
			return replaced, err
		}
	}
	return replaced, nil
}

// deriveFiles derives a cycle beside the data root, and takes the damaged files from there.
func (g *Group) deriveFiles(ctx context.Context, p cli.Dataset, root *durable.Disk, was snapshot.Manifest, damaged []snapshot.File) (replaced []string, err error) {
	log := g.Log.With("tenant", p.Tenant, "product", p.Product, "cycle", was.CycleID)
	key, err := identity.LoadKey(g.Keys.ID)
	if err != nil {
		log.Warn("a damaged canonical cycle is not derived again, because there is no id key", "error", err)
		return nil, nil
	}
	data, err := durable.OpenExisting(g.Data)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	beside := layout.StagingDir + "/derive-again"
	if err := root.RemoveAll(beside); err != nil {
		return nil, err
	}
	defer root.RemoveAll(beside)
	if err := durable.MkdirAllSync(root, beside); err != nil {
		return nil, err
	}
	above, err := durable.OpenExisting(filepath.Join(p.Dir(), filepath.FromSlash(beside)))
	if err != nil {
		return nil, err
	}
	defer above.Close()
	_, err = transform.Rebuild(ctx, transform.Options{ClientID: p.Tenant, Product: p.Product, Cycle: was.CycleID, Key: key, Version: g.Version,
		Root: durable.Over{Above: above, Below: root}, Data: durable.Over{Above: above, Below: data}}, &was)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, durable.ErrNoSpace), errors.Is(err, transform.ErrKey):
		return nil, err
	case err != nil:
		log.Warn("a damaged canonical cycle cannot be derived again", "error", err)
		return nil, nil
	}
	dir := layout.Cycle(layout.CanonicalDir, was.CycleID)
	for _, file := range damaged {
		staged, final := beside+"/"+dir+"/"+file.Name, dir+"/"+file.Name
		if _, sum, err := durable.HashFile(root, staged); err != nil || sum != file.SHA256 {
			log.Warn("a damaged canonical file is kept: deriving it again gives other bytes", "file", final)
			continue
		}
		if err := durable.Replace(root, staged, final, layout.QuarantineDir); err != nil {
			return replaced, fmt.Errorf("%s: %w", final, err)
		}
		replaced = append(replaced, final)
		log.Warn("a damaged file was rebuilt, byte for byte", "file", final)
	}
	return replaced, nil
}
