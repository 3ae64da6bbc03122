package raw

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Cycles lists the cycles with a folder, sealed or not, oldest first.
func Cycles(fsys durable.ReadFS) ([]layout.CycleID, error) {
	dirs, err := fsys.ReadDir(layout.RawDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []layout.CycleID
	for _, d := range dirs {
		if id, ok := layout.ParseCycleDir(d.Name()); ok && d.IsDir() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Newest returns the header of the newest sealed cycle with something to transform;
// it skips failed ones and folders without a header. found is false if there is none.
func Newest(fsys durable.ReadFS) (cycle Cycle, found bool, err error) {
	return newest(fsys, func(err error) bool { return errors.Is(err, ErrNotSealed) })
}

// newest tries cycles from the newest on, and skips those with an error for which skipped
// is true.
func newest(fsys durable.ReadFS, skipped func(error) bool) (Cycle, bool, error) {
	ids, err := candidates(fsys)
	if err != nil {
		return Cycle{}, false, err
	}
	for _, id := range slices.Backward(ids) {
		cycle, err := readCycle(fsys, id)
		switch {
		case err != nil && skipped(err):
			continue
		case err != nil:
			return Cycle{}, false, err
		case cycle.Outcome != Failed:
			return cycle, true, nil
		}
	}
	return Cycle{}, false, nil
}

// candidates are the possible newest cycles, oldest first.
func candidates(fsys durable.ReadFS) ([]layout.CycleID, error) {
	p, known, err := readProgress(fsys)
	if err != nil {
		return nil, err
	}
	if known {
		return p.candidates(), nil
	}
	return Cycles(fsys)
}

// Sealed reports whether a cycle has its header.
func Sealed(fsys durable.ReadFS, id layout.CycleID) (bool, error) {
	return durable.Exists(fsys, layout.Cycle(layout.RawDir, id)+"/"+layout.RawCycleFile)
}

// Recover quarantines the folders of unfinished runs, and returns how many. Only
// the holder of the lock may call it; it may be repeated.
func Recover(fsys durable.FS) (int, error) {
	p, known, err := readProgress(fsys)
	if err != nil {
		return 0, err
	}
	if known {
		return quarantine(fsys, []layout.CycleID{p.Begun})
	}
	ids, err := Cycles(fsys)
	if err != nil {
		return 0, err
	}
	return quarantine(fsys, ids)
}

// quarantine moves the folders of the cycles not sealed.
func quarantine(fsys durable.FS, ids []layout.CycleID) (int, error) {
	moved := 0
	for _, id := range ids {
		begun, err := durable.Exists(fsys, layout.Cycle(layout.RawDir, id))
		if err != nil {
			return moved, err
		}
		sealed, err := Sealed(fsys, id)
		if err != nil {
			return moved, err
		}
		if !begun || sealed {
			continue
		}
		if _, err := durable.MoveInto(fsys, layout.Cycle(layout.RawDir, id), layout.QuarantineDir); err != nil {
			return moved, fmt.Errorf("quarantine unfinished cycle %s: %w", id, err)
		}
		moved++
	}
	return moved, nil
}

// begin records that a cycle begins, and returns the newest one with something to
// transform, zero if there is none. It skips damaged ones: a new cycle does not need
// them.
func begin(fsys durable.FS, id layout.CycleID) (Cycle, error) {
	newest, _, err := newest(fsys, func(err error) bool { return errors.Is(err, ErrNotSealed) || errors.Is(err, ErrCorrupt) })
	if err != nil {
		return Cycle{}, err
	}
	data, err := encode(progress{Format: progressFormat, Begun: id, Newest: newest.CycleID})
	if err != nil {
		return Cycle{}, err
	}
	return newest, health.OverwriteState(fsys, progressFile, data)
}
