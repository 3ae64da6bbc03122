package raw

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Place returns where an answer's bytes are, relative to the root: a file and the name
// inside it, which is empty in format 1, where every answer has a file of its own.
func (a *Archive) Place(r Response) (file, member string) {
	if a.compacted != nil {
		return layout.RawPack(a.cycle.CycleID), strings.TrimPrefix(a.dir, layout.RawDir+"/") + "/" + r.memberName()
	}
	if r.Frame != nil {
		return a.dir + "/" + layout.RawAnswers, r.File
	}
	return a.dir + "/" + r.File, ""
}

// Between lists the sealed cycles, compacted ones included, that began from from to to,
// oldest first; a zero time is no bound. It lists folders and reads the compacted files
// of that time, so it is for tools and not for steps. Damaged files are left out and
// reported as [ErrCorrupt] beside the other cycles.
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
		in, err := compactedCycles(fsys, layout.RawDir+"/"+e.Name())
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

// Walk opens cycles in order and reads each compacted file once for all of its cycles. It
// is for tools that read hundreds of cycles.
type Walk struct {
	fsys   durable.ReadFS
	file   string                        // the last one read
	cycles map[layout.CycleID]*compacted // its cycles
}

// NewWalk begins a walk.
func NewWalk(fsys durable.ReadFS) *Walk { return &Walk{fsys: fsys} }

// Open is the function Open.
func (w *Walk) Open(id layout.CycleID) (*Archive, error) {
	sealed, err := Sealed(w.fsys, id)
	if err != nil {
		return nil, err
	}
	if sealed {
		return Open(w.fsys, id)
	}
	if file := layout.RawPack(id); file != w.file {
		w.file, w.cycles = file, map[layout.CycleID]*compacted{}
		for c, err := range eachCompacted(w.fsys, file, anyCycle) {
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, err
			}
			w.cycles[c.id] = &c
		}
	}
	c := w.cycles[id]
	if c == nil {
		return Open(w.fsys, id) // for its error
	}
	return openHeaders(w.fsys, id, c.files[layout.RawCycleFile], c)
}
