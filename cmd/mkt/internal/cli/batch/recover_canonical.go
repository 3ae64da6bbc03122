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
// damage to both. A file is replaced by the very bytes that were sealed, or not at all. A cycle with a damaged
// header, or with another one than was published, is derived again as a whole; if that does not give the published
// one, it is only quarantined, and the next live cycle derives what it needs. deriveAgain returns the names of what was
// replaced and of the cycles that were only quarantined.
func (g *Group) deriveAgain(ctx context.Context, p cli.Dataset, root *durable.Disk) (replaced, quarantined []string, err error) {
	cycles, err := snapshot.CyclesIn(root, layout.CanonicalDir)
	if err != nil {
		return nil, nil, err
	}
	head, _, err := snapshot.Head(root)
	if err != nil {
		head = snapshot.Commit{} // repair says so
	}
	for _, id := range cycles {
		if ctx.Err() != nil {
			return replaced, quarantined, context.Cause(ctx)
		}
		c, published, err := snapshot.OfCycle(root, head, id)
		published = err == nil && published && c.CanonicalSHA256 != ""
		was, sum, err := snapshot.OpenCanonical(root, id)
		if errors.Is(err, snapshot.ErrDamaged) || err == nil && published && sum != c.CanonicalSHA256 {
			rebuilt, err := g.deriveCycle(ctx, p, root, id, published)
			if err != nil {
				return replaced, quarantined, err
			}
			if dir := layout.Cycle(layout.CanonicalDir, id); rebuilt {
				replaced = append(replaced, dir)
			} else {
				quarantined = append(quarantined, dir)
			}
			continue
		}
		if err != nil {
			continue // publish and verify say so
		}
		var damaged []snapshot.File
		for _, file := range was.Files {
			err := snapshot.Verify(root, layout.Cycle(layout.CanonicalDir, id), was.Only(file.Name))
			if snapshot.IsDamage(err) {
				damaged = append(damaged, file)
			} else if err != nil {
				return replaced, quarantined, err
			}
		}
		if len(damaged) == 0 {
			continue
		}
		names, err := g.deriveFiles(ctx, p, root, was, damaged)
		replaced = append(replaced, names...)
		if err != nil {
			return replaced, quarantined, err
		}
	}
	return replaced, quarantined, nil
}

// deriveCycle quarantines a cycle, and replaces it by the published one if it can be derived.
func (g *Group) deriveCycle(ctx context.Context, p cli.Dataset, root *durable.Disk, id layout.CycleID, published bool) (rebuilt bool, err error) {
	final := layout.Cycle(layout.CanonicalDir, id)
	if _, err := durable.MoveInto(root, final, layout.QuarantineDir); err != nil || !published {
		return false, err
	}
	err = g.derive(ctx, p, root, &snapshot.Manifest{CycleID: id}, func(staged string) error {
		rebuilt = true
		return durable.Install(root, staged, final)
	})
	return rebuilt && err == nil, err
}

// deriveFiles takes damaged files from the cycle derived again.
func (g *Group) deriveFiles(ctx context.Context, p cli.Dataset, root *durable.Disk, was snapshot.Manifest, damaged []snapshot.File) (replaced []string, err error) {
	log := g.Log.With("tenant", p.Tenant, "product", p.Product, "cycle", was.CycleID)
	dir := layout.Cycle(layout.CanonicalDir, was.CycleID)
	err = g.derive(ctx, p, root, &was, func(derived string) error {
		for _, file := range damaged {
			staged, final := derived+"/"+file.Name, dir+"/"+file.Name
			if _, sum, err := durable.HashFile(root, staged); err != nil || sum != file.SHA256 {
				log.Warn("a damaged canonical file is kept: deriving it again gives other bytes", "file", final)
				continue
			}
			if err := durable.Replace(root, staged, final, layout.QuarantineDir); err != nil {
				return fmt.Errorf("%s: %w", final, err)
			}
			replaced = append(replaced, final)
			log.Warn("a damaged file was rebuilt, byte for byte", "file", final)
		}
		return nil
	})
	return replaced, err
}

// derive derives a cycle beside the data root, and calls use with its folder there. If it cannot be derived, it
// only logs that.
func (g *Group) derive(ctx context.Context, p cli.Dataset, root *durable.Disk, was *snapshot.Manifest, use func(staged string) error) error {
	log := g.Log.With("tenant", p.Tenant, "product", p.Product, "cycle", was.CycleID)
	key, err := identity.LoadKey(g.Keys.ID)
	if err != nil {
		log.Warn("a damaged canonical cycle is not derived again, because there is no id key", "error", err)
		return nil
	}
	data, err := durable.OpenExisting(g.Data)
	if err != nil {
		return err
	}
	defer data.Close()
	beside := layout.StagingDir + "/derive-again"
	if err := root.RemoveAll(beside); err != nil {
		return err
	}
	defer root.RemoveAll(beside)
	if err := durable.MkdirAllSync(root, beside); err != nil {
		return err
	}
	above, err := durable.OpenExisting(filepath.Join(p.Dir(), filepath.FromSlash(beside)))
	if err != nil {
		return err
	}
	defer above.Close()
	_, err = transform.Rebuild(ctx, transform.Options{ClientID: p.Tenant, Product: p.Product, Cycle: was.CycleID, Key: key, Version: g.Version,
		Root: durable.Over{Above: above, Below: root}, Data: durable.Over{Above: above, Below: data}}, was)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, durable.ErrNoSpace), errors.Is(err, transform.ErrKey):
		return err
	case err != nil:
		log.Warn("a damaged canonical cycle cannot be derived again", "error", err)
		return nil
	}
	return use(beside + "/" + layout.Cycle(layout.CanonicalDir, was.CycleID))
}
