package raw

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Between opens the sealed cycles from one to another, both included, oldest
// first, whether they were rolled up or not. One that is damaged comes as an
// error, and the next ones follow; after an error that is not ErrCorrupt nothing
// does. It lists cycles and reads every pack once: for a person who looks back.
func Between(fsys durable.FS, from, to layout.CycleID) iter.Seq2[*Archive, error] {
	return func(yield func(*Archive, error) bool) {
		folders, packs, err := listed(fsys, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		w := walk{fsys: fsys, from: from, to: to, folders: folders, yield: yield}
		for _, pack := range packs {
			if !w.pack(pack) {
				return
			}
		}
		w.foldersUntil("")
	}
}

// listed are the folders within the range, and the packs that may hold cycles of
// it; both sorted.
func listed(fsys durable.FS, from, to layout.CycleID) (folders []layout.CycleID, packs []string, err error) {
	entries, err := fsys.ReadDir(layout.RawDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := layout.RawDir + "/" + e.Name()
		if id, ok := layout.ParseCycleDir(e.Name()); ok && e.IsDir() && from <= id && id <= to {
			folders = append(folders, id)
		} else if _, ok := layout.ParseRawPack(e.Name()); ok && layout.RawPack(from) <= name && name <= layout.RawPack(to) {
			packs = append(packs, name)
		}
	}
	slices.Sort(folders)
	slices.Sort(packs)
	return folders, packs, nil
}

// walk goes through folders and packs side by side.
type walk struct {
	fsys     durable.FS
	from, to layout.CycleID
	folders  []layout.CycleID // still to come
	yield    func(*Archive, error) bool
	stopped  bool

	id    layout.CycleID // cycle of the pack that is being collected
	files map[string][]byte
}

var errStopped = errors.New("stopped")

// pack gives the cycles of a pack, and the folders among them; false ends it all.
func (w *walk) pack(name string) bool {
	err := eachRolled(w.fsys, name, func(id layout.CycleID, file string, content io.Reader) error {
		if id != w.id && !w.collected() {
			return errStopped
		}
		if w.id = id; id < w.from || id > w.to {
			return nil
		}
		data, err := io.ReadAll(io.LimitReader(content, MaxBody+1))
		if w.files == nil {
			w.files = map[string][]byte{}
		}
		w.files[file] = data
		return err
	})
	switch {
	case w.stopped || errors.Is(err, errStopped):
		return false
	case err == nil:
		return w.collected()
	case errors.Is(err, fs.ErrNotExist):
		return true
	}
	w.files = nil
	return w.give(nil, fmt.Errorf("%w: %w", ErrCorrupt, err))
}

// collected gives the cycle whose files were read.
func (w *walk) collected() bool {
	files := w.files
	w.files = nil
	if files == nil {
		return true
	}
	if !w.foldersUntil(w.id) {
		return false
	}
	if len(w.folders) > 0 && w.folders[0] == w.id {
		return true // a run was killed before it had deleted the folder, which comes next
	}
	return w.give(openWith(w.fsys, w.id, files[layout.RawCycleFile], &rolledCycle{files}))
}

// foldersUntil gives the cycles with a folder before one, "" being the end.
func (w *walk) foldersUntil(id layout.CycleID) bool {
	for len(w.folders) > 0 && (id == "" || w.folders[0] < id) {
		next := w.folders[0]
		w.folders = w.folders[1:]
		if !w.give(Open(w.fsys, next)) {
			return false
		}
	}
	return true
}

// give passes one on; what is not sealed is not there.
func (w *walk) give(a *Archive, err error) bool {
	if errors.Is(err, ErrNotSealed) {
		return true
	}
	goOn := w.yield(a, err) && (err == nil || errors.Is(err, ErrCorrupt))
	w.stopped = !goOn
	return goOn
}
