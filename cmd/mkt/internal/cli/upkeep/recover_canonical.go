package upkeep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/identity"
)

// deriveAgain derives damaged canonical files again, from the archived answers. A snapshot whose
// rows are all of its own cycle shares its files with the canonical cycle: damage to one is
// damage to both. A file is replaced by the very bytes that were sealed, or not at all. A cycle with a damaged
// header, or with another one than was published, is derived again as a whole; if that does not give the published
// one, it is only quarantined, and the next live cycle derives what it needs. A published cycle that is gone is derived
// as well. deriveAgain returns the names of what was replaced and of the cycles that were only quarantined.
func (g *Group) deriveAgain(ctx context.Context, p dataset.Dataset, root *durable.Disk) (replaced, quarantined []string, err error) {
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
			rebuilt := false
			_, err := durable.MoveInto(root, layout.Cycle(layout.CanonicalDir, id), layout.QuarantineDir)
			if err == nil && published {
				rebuilt, err = g.deriveCycle(ctx, p, root, id)
			}
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
	gone, err := missingCanonical(root, head, cycles)
	for _, id := range gone {
		if ctx.Err() != nil {
			return replaced, quarantined, context.Cause(ctx)
		}
		var rebuilt bool
		if rebuilt, err = g.deriveCycle(ctx, p, root, id); err != nil {
			break
		}
		if rebuilt {
			replaced = append(replaced, layout.Cycle(layout.CanonicalDir, id))
		}
	}
	return replaced, quarantined, err
}

// missingCanonical returns the published canonical cycles that are gone although retention did not delete them, oldest
// first. Of the thinned-out ones it is the first of an hour that has none. there are those that are not gone.
func missingCanonical(root *durable.Disk, head snapshot.Commit, there []layout.CycleID) ([]layout.CycleID, error) {
	marks, err := retention.ReadWatermarks(root)
	if snapshot.IsFault(err) {
		return nil, nil // what retention deleted is not known
	}
	if err != nil {
		return nil, err
	}
	ofHour := map[string]bool{}
	for _, id := range there {
		ofHour[layout.HourOf(id)] = true
	}
	if marks.Canonical != nil {
		ofHour[layout.HourOf(marks.Canonical.Before)] = true // see verify
	}
	var gone []layout.CycleID
	for c, err := range snapshot.Backward(root, head) {
		if err != nil {
			continue // repair says so
		}
		if marks.Canonical.Covers(c.CycleID) {
			break
		}
		if _, exists := slices.BinarySearch(there, c.CycleID); !exists && c.CanonicalSHA256 != "" {
			gone = append(gone, c.CycleID)
		}
	}
	slices.Reverse(gone)
	return slices.DeleteFunc(gone, func(id layout.CycleID) bool {
		hour := layout.HourOf(id)
		kept := ofHour[hour]
		ofHour[hour] = true
		return kept && marks.Thinned.Covers(id)
	}), nil
}

// deriveCycle gives a published cycle that is gone its place again, if it can be derived.
func (g *Group) deriveCycle(ctx context.Context, p dataset.Dataset, root *durable.Disk, id layout.CycleID) (rebuilt bool, err error) {
	final := layout.Cycle(layout.CanonicalDir, id)
	err = g.derive(ctx, p, root, &snapshot.Manifest{CycleID: id}, func(staged string) error {
		rebuilt = true
		return durable.Install(root, staged, final)
	})
	return rebuilt && err == nil, err
}

// deriveFiles takes damaged files from the cycle derived again.
func (g *Group) deriveFiles(ctx context.Context, p dataset.Dataset, root *durable.Disk, was snapshot.Manifest, damaged []snapshot.File) (replaced []string, err error) {
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
func (g *Group) derive(ctx context.Context, p dataset.Dataset, root *durable.Disk, was *snapshot.Manifest, use func(staged string) error) error {
	log := g.Log.With("tenant", p.Tenant, "product", p.Product, "cycle", was.CycleID)
	key, err := identity.LoadKey(g.keys.ID)
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
