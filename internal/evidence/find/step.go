package find

import (
	"slices"

	"mkt/internal/evidence/history"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Explainable returns a function that returns the version in which a step of a path can be explained: its own, or,
// if that is not kept, the oldest kept one if the step is in force in it; else 0.
func Explainable(root durable.ReadFS, path *history.Path) func(version uint64) uint64 {
	var kept uint64
	if head, found, err := snapshot.Head(root); err == nil && found {
		kept = snapshot.OldestKept(root, head).Version
	}
	return func(version uint64) uint64 {
		next := path.Last + 1
		if i := slices.IndexFunc(path.Steps, func(s history.Step) bool { return s.Version > version }); i >= 0 {
			next = path.Steps[i].Version
		}
		if at := max(version, kept); at == version || at < next {
			return at
		}
		return 0
	}
}
