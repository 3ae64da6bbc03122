package suspicions

import (
	"maps"
	"slices"
	"time"

	"mkt/internal/evidence/inspect"
)

// Change is how a publication changed the number of suspicious markets.
type Change struct {
	Version     uint64
	PublishedAt time.Time
	Kinds       []KindChange
	First       bool // there is no publication before it to compare with
}

// KindChange is the change of one kind of suspicion.
type KindChange struct {
	Kind        string
	Before, Now int64
}

// Delta returns the change.
func (k KindChange) Delta() int64 { return k.Now - k.Before }

// Changes returns the publications in which the number of suspicious markets changed, newest first as those
// given. Publications whose snapshot is not kept have no numbers, and are passed over.
func Changes(publications []inspect.Publication) (list []Change) {
	var before map[string]int64
	for _, p := range slices.Backward(publications) {
		if p.Suspicions == nil {
			continue
		}
		change := Change{Version: p.Version, PublishedAt: p.PublishedAt, First: before == nil}
		for _, kind := range slices.Sorted(maps.Keys(p.Suspicions)) {
			if k := (KindChange{kind, before[kind], p.Suspicions[kind]}); k.Before != k.Now {
				change.Kinds = append(change.Kinds, k)
			}
		}
		if before = p.Suspicions; len(change.Kinds) > 0 {
			list = append(list, change)
		}
	}
	slices.Reverse(list)
	return list
}
