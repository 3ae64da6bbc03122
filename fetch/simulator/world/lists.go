package world

import (
	"time"

	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/competition"
)

// Lists keeps the rendered lists of worlds. A list changes at whole minutes only.
type Lists[T any] struct {
	fixtures func(w *World, now time.Time) []competition.Fixture
	cache    *cache.Cache[listKey, []T]
}

type listKey struct {
	world  *World
	minute int64
}

// NewLists returns an empty cache of lists of the given fixtures; size is that of an item
// in bytes.
func NewLists[T any](fixtures func(w *World, now time.Time) []competition.Fixture, size func(T) int) Lists[T] {
	return Lists[T]{fixtures, cache.New[listKey](64<<20, func(list []T) (sum int) {
		for _, item := range list {
			sum += size(item)
		}
		return sum
	})}
}

// Get returns the fixtures of a world at a moment, each rendered by item.
func (l Lists[T]) Get(w *World, now time.Time, item func(f competition.Fixture, now time.Time) T) []T {
	now = now.Truncate(time.Minute)
	return l.cache.Get(listKey{w, now.Unix()}, func() []T {
		fixtures := l.fixtures(w, now)
		list := make([]T, len(fixtures))
		for i, f := range fixtures {
			list[i] = item(f, now)
		}
		return list
	})
}
