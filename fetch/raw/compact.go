package raw

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Compact moves the sealed cycles of every hour before that of a cycle into one file for
// each ten minutes, where [Open] still finds them, and deletes their folders. A damaged
// cycle, or one of a newer version, keeps its folder. A compacted file has every byte
// received, compressed over many cycles at once. Compact lists cycles, so call
// it at most once an hour. Only the holder of the lock may call it; it may be killed at
// any point. It returns how many cycles it compacted.
func Compact(fsys durable.FS, before layout.CycleID) (int, error) {
	ids, err := Cycles(fsys)
	if err != nil {
		return 0, err
	}
	now, all := layout.HourOf(before), 0
	for len(ids) > 0 && layout.HourOf(ids[0]) < now {
		name, n := layout.RawPack(ids[0]), 0
		for n < len(ids) && layout.RawPack(ids[n]) == name {
			n++
		}
		done, err := compactOne(fsys, name, ids[:n])
		if all += done; err != nil {
			return all, fmt.Errorf("compact %s: %w", name, err)
		}
		ids = ids[n:]
	}
	return all, nil
}

// compactOne writes one file. If it exists, the run that wrote it was killed before it
// had deleted the folders.
func compactOne(fsys durable.FS, name string, ids []layout.CycleID) (int, error) {
	in, err := compactedCycles(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeCompacted(fsys, name, ids); err == nil {
			in, err = compactedCycles(fsys, name)
		}
	}
	if err != nil {
		return 0, err
	}
	var gone []layout.CycleID
	for _, id := range ids {
		if slices.Contains(in, id) {
			gone = append(gone, id)
		}
	}
	return len(gone), removeFolders(fsys, gone)
}

// writeCompacted writes a compacted file, which is durable before it gets its name.
func writeCompacted(fsys durable.FS, name string, ids []layout.CycleID) error {
	if err := durable.MkdirAllSync(fsys, layout.StagingDir); err != nil {
		return err
	}
	staged := layout.StagingDir + "/raw-" + path.Base(name)
	if err := fsys.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer fsys.Remove(staged)
	err := durable.CreateIn(fsys, staged, func(w io.Writer) error {
		compressed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(window), zstd.WithEncoderCRC(true))
		if err != nil {
			return err
		}
		out := tar.NewWriter(compressed)
		for _, id := range ids {
			if err := addCycle(fsys, out, id); err != nil {
				return err
			}
		}
		return errors.Join(out.Close(), compressed.Close())
	})
	if err != nil {
		return err
	}
	if err := fsys.Link(staged, name); err != nil {
		return err
	}
	return fsys.SyncDir(layout.RawDir)
}

// addCycle adds one cycle after verifying every body. It leaves out a cycle that is
// damaged, of a newer version, or not sealed.
func addCycle(fsys durable.ReadFS, out *tar.Writer, id layout.CycleID) error {
	a, err := Open(fsys, id)
	if errors.Is(err, ErrNotSealed) || errors.Is(err, ErrCorrupt) || errors.Is(err, layout.ErrNewer) {
		return nil
	}
	if err != nil {
		return err
	}
	type entry struct {
		name    string
		content []byte
	}
	var entries []entry
	for _, name := range []string{layout.RawCycleFile, layout.RawFetchFile} {
		content, err := durable.ReadFile(fsys, a.dir+"/"+name, maxHeader)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, content})
	}
	for _, r := range a.responses {
		body, err := a.Body(r)
		if errors.Is(err, ErrCorrupt) {
			return nil
		}
		if err != nil {
			return err
		}
		entries = append(entries, entry{r.memberName(), body})
	}
	for _, e := range entries {
		if err := out.WriteHeader(tarHeader(path.Base(a.dir)+"/"+e.name, len(e.content))); err != nil {
			return err
		}
		if _, err := io.Copy(out, bytes.NewReader(e.content)); err != nil {
			return err
		}
	}
	return nil
}

// removeFolders removes the names of all cycles durably, then deletes their content.
func removeFolders(fsys durable.FS, ids []layout.CycleID) error {
	if len(ids) == 0 {
		return nil
	}
	gone := layout.GoneDir + "/raw-" + path.Base(layout.RawPack(ids[0]))
	if err := fsys.RemoveAll(gone); err != nil {
		return err
	}
	if err := durable.MkdirAllSync(fsys, gone); err != nil {
		return err
	}
	for _, id := range ids {
		dir := layout.Cycle(layout.RawDir, id)
		if err := fsys.Rename(dir, gone+"/"+path.Base(dir)); err != nil {
			return err
		}
	}
	if err := errors.Join(fsys.SyncDir(gone), fsys.SyncDir(layout.RawDir)); err != nil {
		return err
	}
	return fsys.RemoveAll(gone)
}
