package raw

import (
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// progress is state/raw.json. It is written before a cycle's folder is created, so that
// no folder is newer.
type progress struct {
	Format int            `json:"format"`
	Begun  layout.CycleID `json:"begun"`            // the last one, which may not be sealed
	Newest layout.CycleID `json:"newest,omitempty"` // of those begun earlier, the newest with something to transform
}

const progressFile = layout.StateDir + "/raw.json"

// progressFormat is the version of state/raw.json.
//
//	1: first
const progressFormat = 1

// readProgress returns false if the file is missing or invalid: the folders have the same
// information, and the next cycle writes the file.
func readProgress(fsys durable.ReadFS) (p progress, known bool, err error) {
	known, err = health.ReadState(fsys, progressFile, progressFormat, &p)
	if !known || p.Format != progressFormat {
		return progress{}, false, err
	}
	if _, _, err := layout.ParseCycleID(string(p.Begun)); err != nil {
		return progress{}, false, nil
	}
	return p, p.Newest == "" || precedes(p.Newest, "~"), nil
}

// candidates are the possible newest cycles, oldest first.
func (p progress) candidates() []layout.CycleID {
	ids := []layout.CycleID{p.Begun}
	if p.Newest != "" {
		ids = append(ids, p.Newest)
	}
	slices.Sort(ids)
	return ids
}

// LastBegun returns the time of the last begun cycle; false if not known.
func LastBegun(fsys durable.ReadFS) (at time.Time, known bool, err error) {
	p, known, err := readProgress(fsys)
	if err != nil || !known {
		return time.Time{}, false, err
	}
	ids := p.candidates()
	at, _, err = layout.ParseCycleID(string(ids[len(ids)-1]))
	return at, err == nil, nil
}
