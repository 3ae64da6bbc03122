package cycles

import (
	"maps"
	"slices"
	"time"
)

// suspicionChange is how a publication changed the number of suspicious markets.
type suspicionChange struct {
	Version     uint64
	PublishedAt time.Time
	Kinds       []kindChange
	First       bool // there is no publication before it to compare with
}

// kindChange is the change of one kind of suspicion.
type kindChange struct {
	Kind        string
	Before, Now int64
}

// Delta returns the change.
func (k kindChange) Delta() int64 { return k.Now - k.Before }

// suspicionChanges returns the publications in which the number of suspicious markets changed,
// newest first. Publications whose snapshot is not kept have no numbers, and are passed over.
func suspicionChanges(lines []cycleLine) (list []suspicionChange) {
	var before map[string]int64
	for _, l := range slices.Backward(lines) {
		if l.suspicions == nil {
			continue
		}
		change := suspicionChange{Version: l.Version, PublishedAt: l.PublishedAt, First: before == nil}
		for _, kind := range slices.Sorted(maps.Keys(l.suspicions)) {
			if k := (kindChange{kind, before[kind], l.suspicions[kind]}); k.Before != k.Now {
				change.Kinds = append(change.Kinds, k)
			}
		}
		if before = l.suspicions; len(change.Kinds) > 0 {
			list = append(list, change)
		}
	}
	slices.Reverse(list)
	return list
}
