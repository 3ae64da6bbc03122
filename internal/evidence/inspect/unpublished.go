package inspect

import (
	"errors"
	"io/fs"
	"slices"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Unpublished lists cycles that were fetched and never published.
type Unpublished struct {
	Cycles []UnpublishedCycle // newest first
	More   int                // older ones, left out of Cycles
}

// UnpublishedCycle is a cycle without a publication.
type UnpublishedCycle struct {
	raw.Cycle
	Sealed  bool // its answers are archived; otherwise fetch was interrupted
	Refused int  // answers
	Damage  string
}

// unpublishedShown is how many cycles without a publication are listed.
const unpublishedShown = 20

// UnpublishedBetween returns the cycles without a publication that began between some publications, the
// newest first. With newest it also returns the cycles after them, and with oldest those before. A cycle that
// may be under way is left out. Cycles that were compacted are not looked at.
func UnpublishedBetween(root durable.ReadFS, publications []Publication, newest, oldest bool) (u Unpublished, err error) {
	ids, err := raw.Cycles(root)
	if err != nil || len(ids) == 0 {
		return u, err
	}
	published := map[layout.CycleID]bool{}
	var from, to layout.CycleID
	for _, p := range publications {
		if p.CycleID == "" {
			continue
		}
		published[p.CycleID] = true
		if from = p.CycleID; to == "" {
			to = p.CycleID
		}
	}
	if oldest {
		from = ""
	}
	for i, id := range slices.Backward(ids) {
		if published[id] || id < from || id > to && !newest {
			continue
		}
		one := UnpublishedCycle{Cycle: raw.Cycle{CycleID: id}}
		archive, err := raw.Open(root, id)
		switch {
		case errors.Is(err, raw.ErrNotSealed), errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, raw.ErrCorrupt), errors.Is(err, layout.ErrNewer):
			one.Damage = err.Error()
		case err != nil:
			return u, err
		default:
			one.Cycle, one.Sealed = archive.Cycle(), true
			for _, answer := range archive.Responses() {
				if !answer.Accepted() {
					one.Refused++
				}
			}
		}
		if i == len(ids)-1 && one.Outcome != raw.Failed && one.Damage == "" {
			continue // it may be under way
		}
		if u.Cycles = append(u.Cycles, one); len(u.Cycles) == unpublishedShown {
			for _, older := range ids[:i] {
				if !published[older] && older >= from {
					u.More++
				}
			}
			break
		}
	}
	return u, nil
}
