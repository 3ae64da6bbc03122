package raw

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Roll puts the sealed cycles of every hour before that of a cycle into packs of
// ten minutes, in which they are found as before, and deletes their folders. What
// is damaged, or of a newer version, keeps its folder. Nothing is lost: packs hold every byte that was
// received, compressed over many cycles at once. It lists cycles: call it once an
// hour. Only for the holder of the lock; it may be killed at any point. It tells
// how many cycles it rolled up.
func Roll(fsys durable.FS, before layout.CycleID) (int, error) {
	ids, err := Cycles(fsys)
	if err != nil {
		return 0, err
	}
	now, rolled := layout.HourOf(before), 0
	for len(ids) > 0 && layout.HourOf(ids[0]) < now {
		pack, n := layout.RawPack(ids[0]), 0
		for n < len(ids) && layout.RawPack(ids[n]) == pack {
			n++
		}
		done, err := rollOne(fsys, pack, ids[:n])
		if rolled += done; err != nil {
			return rolled, fmt.Errorf("roll up %s: %w", pack, err)
		}
		ids = ids[n:]
	}
	return rolled, nil
}

// rollOne makes one pack. One that is there already was written by a run that was
// killed before it had deleted the folders.
func rollOne(fsys durable.FS, pack string, ids []layout.CycleID) (int, error) {
	in, err := cyclesIn(fsys, pack)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writePack(fsys, pack, ids); err == nil {
			in, err = cyclesIn(fsys, pack)
		}
	}
	if err != nil {
		return 0, err
	}
	var gone []layout.CycleID
	for _, id := range ids {
		if in[id] {
			gone = append(gone, id)
		}
	}
	return len(gone), removeFolders(fsys, gone)
}

// cyclesIn reads a pack to its end, checksum included, and tells which
// cycles are in it.
func cyclesIn(fsys durable.ReadFS, pack string) (map[layout.CycleID]bool, error) {
	in := map[layout.CycleID]bool{}
	return in, eachRolled(fsys, pack, func(id layout.CycleID, _ string, content io.Reader) error {
		in[id] = true
		_, err := io.Copy(io.Discard, content)
		return err
	})
}

// writePack writes a pack, durable before it has its name.
func writePack(fsys durable.FS, pack string, ids []layout.CycleID) error {
	if err := durable.MkdirAllSync(fsys, layout.StagingDir); err != nil {
		return err
	}
	staged := layout.StagingDir + "/raw-" + path.Base(pack)
	if err := fsys.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer fsys.Remove(staged)
	err := durable.Create(fsys, staged, func(w io.Writer) error {
		packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(rollWindow), zstd.WithEncoderCRC(true))
		if err != nil {
			return err
		}
		out := tar.NewWriter(packed)
		for _, id := range ids {
			if err := addCycle(fsys, out, id); err != nil {
				return err
			}
		}
		return errors.Join(out.Close(), packed.Close())
	})
	if err != nil {
		return err
	}
	if err := fsys.Link(staged, pack); err != nil {
		return err
	}
	return fsys.SyncDir(layout.RawDir)
}

// addCycle adds one cycle, every body held against its hash. A cycle that is
// damaged, of a newer version, or not sealed is left out.
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
		entries = append(entries, entry{plainName(r), body})
	}
	for _, e := range entries {
		header := tar.Header{Name: path.Base(a.dir) + "/" + e.name, Mode: 0o644, Size: int64(len(e.content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := out.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := io.Copy(out, bytes.NewReader(e.content)); err != nil {
			return err
		}
	}
	return nil
}

// removeFolders deletes cycles: first all their names, for good, then what is in
// them.
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
