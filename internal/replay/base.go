package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// prepare brings the other root to the state of the source before the first cycle.
func (r *run) prepare(ctx context.Context, cycles []layout.CycleID) error {
	if r.Fingerprint != "" {
		if err := durable.CreateAgain(r.Data, layout.IDKeyFingerprintFile, durable.Bytes([]byte(r.Fingerprint+"\n"))); err != nil {
			return err
		}
	}
	if err := durable.MkdirAllSync(r.Target, layout.RawDir); err != nil {
		return err
	}
	if err := r.copyConnection(ctx); err != nil {
		return err
	}
	first := cycles[0]
	if r.Product == football.LiveIntelligence {
		begin, err := r.copyState(ctx, first)
		if err != nil {
			return fmt.Errorf("copying what the range begins from: %w", err)
		}
		if begin != "" {
			between, err := raw.Between(r.Source, layout.TimeOf(begin), layout.TimeOf(first))
			if err != nil {
				return err
			}
			cycles = append(between, cycles...)
		}
	} else if err := r.copyPublication(ctx, first); err != nil {
		return fmt.Errorf("copying what the range begins from: %w", err)
	}
	slices.Sort(cycles)
	return r.copyRaw(ctx, slices.Compact(cycles))
}

// copyConnection copies the result of the newest fetch. Without it the credential counts as
// untried, and serve does not serve the data.
func (r *run) copyConnection(ctx context.Context) error {
	err := r.copyFile(ctx, layout.StateDir+"/"+health.StepFetch+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyState copies the canonical cycle from which the live product continues: the newest one
// before the range. If cycles lie in between, they are transformed as well.
func (r *run) copyState(ctx context.Context, first layout.CycleID) (layout.CycleID, error) {
	ids, err := snapshot.CyclesIn(r.Source, layout.CanonicalDir)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(ids) {
		if id >= first {
			continue
		}
		if _, _, err := snapshot.OpenCanonical(r.Source, id); err == nil {
			r.report.Base = string(id)
			return id, r.copyFolder(ctx, layout.Cycle(layout.CanonicalDir, id), layout.CanonicalFile)
		}
	}
	r.report.Notes = append(r.report.Notes, "no state from before the range is kept: it begins with baselines")
	return "", nil
}

// copyPublication copies the publication before the first cycle, from which fixtures are
// carried over, with its change log. The other root begins with it.
func (r *run) copyPublication(ctx context.Context, first layout.CycleID) error {
	base := r.before(first)
	if base.Version == 0 {
		return nil
	}
	m, err := snapshot.Open(r.Source, base)
	if errors.Is(err, fs.ErrNotExist) {
		r.noteBase(base.Version, "was deleted by retention")
		return nil
	}
	if err != nil {
		return err
	}
	r.report.Base = string(base.CycleID)
	if err := r.copyFolder(ctx, base.Dir(), layout.ManifestFile); err != nil {
		return err
	}
	for _, s := range m.Segments() {
		if err := r.copyFile(ctx, s.File); err != nil {
			return err
		}
	}
	_, record, err := snapshot.ReadRecord(r.Source, base.Version)
	if err == nil {
		err = snapshot.MakeFolders(r.Target)
	}
	if err == nil {
		err = durable.CreateAgain(r.Target, layout.Commit(base.Version), durable.Bytes(record))
	}
	if err == nil {
		err = snapshot.WriteFirst(r.Target, base.Version)
	}
	if err == nil {
		err = snapshot.WriteCurrent(r.Target, base)
	}
	return err
}

// before returns the publication before a cycle; Version is 0 if there is none, or its record is
// not here or cannot be read. An older one is not what the cycle followed.
func (r *run) before(first layout.CycleID) snapshot.Commit {
	next := r.to.Version // the oldest publication from the cycle on
	for c, err := range snapshot.Backward(r.Source, r.to) {
		if err != nil {
			continue
		}
		if c.CycleID < first {
			if c.Version == next-1 {
				return c
			}
			break
		}
		next = c.Version
	}
	if next > 1 {
		r.noteBase(next-1, "is not in this data root, or its record cannot be read")
	}
	return snapshot.Commit{}
}

// noteBase notes why the publication before the range is missing.
func (r *run) noteBase(version uint64, why string) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf("the snapshot before the range (version %d) %s: the fixtures carried over from it are missing", version, why))
}

// copyRaw copies the payloads; packs are copied as they are.
func (r *run) copyRaw(ctx context.Context, cycles []layout.CycleID) error {
	packs := map[string]bool{}
	for _, id := range cycles {
		dir := layout.Cycle(layout.RawDir, id)
		inFolder, err := raw.Sealed(r.Source, id)
		if err != nil {
			return err
		}
		if inFolder {
			err = r.copyFolder(ctx, dir, layout.RawCycleFile)
		} else if pack := layout.RawPack(id); !packs[pack] {
			packs[pack] = true
			err = r.copyFile(ctx, pack)
		}
		if err != nil {
			return fmt.Errorf("copying the payloads of %s: %w", id, err)
		}
	}
	return nil
}

// copyFolder copies a folder with its header last.
func (r *run) copyFolder(ctx context.Context, dir, header string) error {
	entries, err := r.Source.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := durable.MkdirAllSync(r.Target, dir); err != nil {
		return err
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.Name() == header:
			continue
		case e.IsDir():
			err = r.copyFolder(ctx, name, "")
		default:
			err = r.copyFile(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	if header == "" {
		return nil
	}
	return r.copyFile(ctx, dir+"/"+header)
}

func (r *run) copyFile(ctx context.Context, name string) error {
	if err := durable.MkdirAllSync(r.Target, path.Dir(name)); err != nil {
		return err
	}
	in, err := r.Source.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return durable.CreateAgain(r.Target, name, func(w io.Writer) error {
		_, err := io.Copy(durable.Until(ctx, w), in)
		return err
	})
}
