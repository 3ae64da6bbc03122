package raw

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// progress is state/raw.json. It is written before a cycle's folder is made, so that it
// knows every folder.
type progress struct {
	Format int            `json:"format"`
	Begun  layout.CycleID `json:"begun"`            // the last; it may not have been sealed
	Newest layout.CycleID `json:"newest,omitempty"` // of those begun before, the newest that has something to transform
}

const (
	progressFile = layout.StateDir + "/raw.json"
	maxProgress  = 4 << 10
)

// readProgress returns false if there is no such file, or none that can be read: the
// folders say the same, and the next cycle writes the file.
func readProgress(fsys durable.ReadFS) (p progress, known bool, err error) {
	data, err := durable.ReadFile(fsys, progressFile, maxProgress)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrTooLarge), errors.Is(err, durable.ErrNotRegular):
		return progress{}, false, nil
	case err != nil:
		return progress{}, false, err
	}
	if json.Unmarshal(data, &p) != nil || p.Format != Format {
		return progress{}, false, nil
	}
	if _, _, err := layout.ParseCycleID(string(p.Begun)); err != nil {
		return progress{}, false, nil
	}
	return p, p.Newest == "" || precedes(p.Newest, "~"), nil
}

// candidates are the cycles that may be the newest, oldest first.
func (p progress) candidates() []layout.CycleID {
	ids := []layout.CycleID{p.Begun}
	if p.Newest != "" {
		ids = append(ids, p.Newest)
	}
	slices.Sort(ids)
	return ids
}

// begin records that a cycle begins, and returns the newest that has something to
// transform, zero if there is none. A damaged one is skipped: nothing of it is needed,
// and earlier answers must not keep a new cycle from being fetched.
func begin(fsys durable.FS, id layout.CycleID) (Cycle, error) {
	newest, _, err := newest(fsys, func(err error) bool { return errors.Is(err, ErrNotSealed) || errors.Is(err, ErrCorrupt) })
	if err != nil {
		return Cycle{}, err
	}
	data, err := encode(progress{Format: Format, Begun: id, Newest: newest.CycleID})
	if err != nil {
		return Cycle{}, err
	}
	if err := durable.MkdirAllSync(fsys, layout.StateDir); err != nil {
		return Cycle{}, err
	}
	return newest, durable.Overwrite(fsys, progressFile, data)
}

// LastBegun returns the time of the cycle that was begun last, and false if it is not
// known which that is.
func LastBegun(fsys durable.ReadFS) (at time.Time, known bool, err error) {
	p, known, err := readProgress(fsys)
	if err != nil || !known {
		return time.Time{}, false, err
	}
	ids := p.candidates()
	at, _, err = layout.ParseCycleID(string(ids[len(ids)-1]))
	return at, err == nil, nil
}
