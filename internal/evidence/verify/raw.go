package verify

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// raw checks the raw cycles in folders and in packs, and reports the missing ones.
func (v *verifier) raw(ctx context.Context) error {
	entries, err := v.names(layout.RawDir)
	if err != nil {
		return err
	}
	have := map[layout.CycleID]bool{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if id, ok := layout.ParseCycleDir(e.Name()); ok {
			have[id] = true
			dir := layout.Cycle(layout.RawDir, id)
			err = v.folderOf(rawKind, dir, id, func() error { return v.rawFolder(id) })
		} else if _, ok := layout.ParseRawPack(e.Name()); ok {
			err = v.rawPack(ctx, layout.RawDir+"/"+e.Name(), have)
			if there, e := durable.Exists(v.Root, layout.RawDir+"/"+e.Name()); e == nil && !there && errors.Is(err, fs.ErrNotExist) {
				err = nil // missing cycles are reported below, unless retention deleted them
			}
		}
		if err != nil {
			return err
		}
	}
	gone := missing{v: v, code: "RAW_MISSING", dir: layout.RawDir, fix: fixBackup}
	defer gone.report()
	for _, c := range v.order {
		missing := !have[c.CycleID] && v.wanted(c.CycleID) && c.Republishes == 0 && !v.covers(rawKind, c.CycleID)
		if missing { // it may have been compacted meanwhile
			_, err := raw.Open(v.Root, c.CycleID)
			missing = errors.Is(err, raw.ErrNotSealed)
		}
		gone.add(c, missing)
	}
	return nil
}

func (v *verifier) rawFolder(id layout.CycleID) error {
	defer v.step()
	if !v.wanted(id) {
		return nil
	}
	dir := layout.Cycle(layout.RawDir, id)
	a, err := raw.Open(v.Root, id)
	if errors.Is(err, raw.ErrNotSealed) {
		if _, published := v.commits[id]; published {
			v.addFinding("RAW_DAMAGED", dir+"/"+layout.RawCycleFile, fixBackup, "it is missing")
			return nil
		}
		v.note("%s belongs to a run that is under way or was interrupted", dir)
		return nil
	}
	if isRawFault(dir, err) {
		v.rawFault(dir, err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := v.archive(dir, id, a); err != nil {
		return err
	}
	return v.rawNames(dir, a)
}

// isRawFault reports whether an error is about an archive itself, and not about reading.
func isRawFault(name string, err error) bool {
	return errors.Is(err, raw.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || snapshot.IsFault(snapshot.Fault(name, err))
}

func (v *verifier) rawFault(name string, err error) {
	if !errors.Is(err, raw.ErrCorrupt) {
		err = snapshot.Fault(name, err)
	}
	v.addFault("RAW_DAMAGED", name, fixBackup, err)
}

func (v *verifier) rawPack(ctx context.Context, pack string, have map[layout.CycleID]bool) error {
	defer v.step()
	for c, err := range raw.CompactedCycles(v.Root, pack) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.ID != "" && layout.RawPack(c.ID) != pack {
			v.addFinding("RAW_DAMAGED", pack, fixBackup, "it holds %s, which belongs to another file", c.ID)
			continue
		}
		if c.ID != "" {
			have[c.ID] = true
		}
		if isRawFault(pack, err) && !errors.Is(err, fs.ErrNotExist) {
			v.rawFault(pack, err)
			continue
		}
		if err != nil {
			return err
		}
		if v.wanted(c.ID) {
			if err := v.archive(pack, c.ID, c.Archive); err != nil {
				return err
			}
		}
	}
	return nil
}

// archive checks every answer of a cycle. where is its folder or its pack.
func (v *verifier) archive(where string, id layout.CycleID, a *raw.Archive) error {
	v.report.Checked.Raw++
	switch want := v.rawSum(id); {
	case want == "" && a.Cycle().Outcome != raw.Failed && id <= v.head.CycleID:
		v.note("some raw cycles were not published, or by a version that did not record their hash: they were checked only against themselves")
	case want != "" && want != a.SHA256():
		v.addFinding("RAW_DAMAGED", where, fixBackup, "%s of %s is not the one that was transformed", layout.RawCycleFile, id)
		return nil
	}
	if c := a.Cycle(); c.ClientID != v.ClientID || c.Product != v.Product {
		v.addFinding("RAW_DAMAGED", where, "remove it: it was copied here", "it belongs to %s %s", c.ClientID, c.Product)
	}
	for _, r := range a.Responses() {
		v.report.Checked.Files++
		body, err := a.Body(r)
		if isRawFault(where, err) {
			v.rawFault(where, err)
			continue
		}
		if err != nil {
			return err
		}
		v.report.Checked.Bytes += int64(len(body))
	}
	return nil
}

// rawSum returns the hash of cycle.json recorded by the cycle's publication, "" if there is none.
func (v *verifier) rawSum(id layout.CycleID) string {
	if c, ok := v.commits[id]; ok && c.RawSHA256 != "" {
		return c.RawSHA256
	}
	m, _, err := snapshot.OpenCanonical(v.Root, id)
	if err != nil {
		return ""
	}
	return m.RawSHA256
}

// rawNames reports files absent from fetch.json.
func (v *verifier) rawNames(dir string, a *raw.Archive) error {
	known := map[string]bool{}
	for _, name := range a.Files() {
		known[name] = true
	}
	names, err := v.below(dir, "")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !known[name] && !v.isHalfWritten(dir+"/"+name) {
			v.addFinding("UNKNOWN_FILE", dir+"/"+name, fixUnknown, "%s does not name it", layout.RawFetchFile)
		}
	}
	return nil
}

func (v *verifier) below(dir, sub string) (map[string]bool, error) {
	all := map[string]bool{}
	entries, err := v.names(path.Join(dir, sub))
	for _, e := range entries {
		name := path.Join(sub, e.Name())
		if !e.IsDir() {
			all[name] = true
			continue
		}
		inner, err := v.below(dir, name)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, inner)
	}
	return all, err
}
