package raw

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Place is where an answer's bytes lie, relative to the root: a file of its own,
// or a pack and the name inside it.
func (a *Archive) Place(r Response) (file, member string) {
	if a.rolled != nil {
		return layout.RawPack(a.cycle.CycleID), strings.TrimPrefix(a.dir, layout.RawDir+"/") + "/" + plainName(r)
	}
	return a.dir + "/" + r.File, ""
}

// Between lists the sealed cycles that began in a stretch of time, both ends
// included, oldest first, packed ones among them; a zero time is no bound. It
// lists folders, and reads the packs of that time: for tools, not for steps. The
// cycles of packs that are damaged are missing, and the error, which is
// ErrCorrupt, stands beside the others.
func Between(fsys durable.ReadFS, from, to time.Time) ([]layout.CycleID, error) {
	within := func(id layout.CycleID) bool {
		at, _, err := layout.ParseCycleID(string(id))
		return err == nil && !at.Before(from.Truncate(time.Second)) && (to.IsZero() || !at.After(to))
	}
	entries, err := fsys.ReadDir(layout.RawDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []layout.CycleID
	var damaged []error
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok && within(id) {
			sealed, err := Sealed(fsys, id)
			if err != nil {
				return nil, err
			}
			if sealed {
				ids = append(ids, id)
			}
		}
		until, ok := layout.ParseRawPack(e.Name())
		if !ok || until.Before(from) || !to.IsZero() && until.Add(-layout.RawPackSpan).After(to) {
			continue
		}
		in, err := cyclesNamed(fsys, layout.RawDir+"/"+e.Name())
		if errors.Is(err, ErrCorrupt) {
			damaged = append(damaged, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, id := range in {
			if within(id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), errors.Join(damaged...)
}

// cyclesNamed lists the cycles of a pack.
func cyclesNamed(fsys durable.ReadFS, pack string) (ids []layout.CycleID, err error) {
	err = eachRolled(fsys, pack, func(id layout.CycleID, _ string, _ io.Reader) error {
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// Walk opens cycles one after the other, in order; those of one pack are read
// together. It is for tools that read hundreds.
type Walk struct {
	fsys durable.ReadFS
	pack string
	held map[layout.CycleID]*rolledCycle
}

// NewWalk begins a walk.
func NewWalk(fsys durable.ReadFS) *Walk { return &Walk{fsys: fsys} }

// Open is Open.
func (w *Walk) Open(id layout.CycleID) (*Archive, error) {
	sealed, err := Sealed(w.fsys, id)
	if err != nil {
		return nil, err
	}
	if sealed {
		return Open(w.fsys, id)
	}
	if pack := layout.RawPack(id); pack != w.pack {
		w.pack, w.held = pack, map[layout.CycleID]*rolledCycle{}
		err := eachRolled(w.fsys, pack, func(of layout.CycleID, name string, content io.Reader) (err error) {
			if w.held[of] == nil {
				w.held[of] = &rolledCycle{files: map[string][]byte{}}
			}
			w.held[of].files[name], err = io.ReadAll(io.LimitReader(content, MaxBody+1))
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	rolled := w.held[id]
	if rolled == nil {
		return Open(w.fsys, id) // says what is wrong
	}
	return openHeaders(w.fsys, id, rolled.files[layout.RawCycleFile], rolled)
}
