package simulator

import "time"

// Page is one page of a list.
type Page struct {
	Number int // from 1
	Size   int
	Total  int    // items of the whole list
	Asked  string // what the envelope repeats of the question, if a dialect's does
}

// PageOf returns the items of one page, none behind the last one.
func PageOf[T any](items []T, number, size int) ([]T, Page) {
	from := min((number-1)*size, len(items))
	return items[from:min(from+size, len(items))], Page{Number: number, Size: size, Total: len(items)}
}

// Lists keeps the rendered lists of worlds. A list changes at whole minutes only.
type Lists[T any] struct{ cache *Cache[listKey, []T] }

type listKey struct {
	world  *World
	minute int64
}

// NewLists returns an empty cache of lists, whose items have the given size in bytes.
func NewLists[T any](size func(T) int) Lists[T] {
	return Lists[T]{NewCache[listKey](64<<20, func(list []T) (sum int) {
		for _, item := range list {
			sum += size(item)
		}
		return sum
	})}
}

// Get returns the list of a world's fixtures at a moment, each rendered by item.
func (l Lists[T]) Get(w *World, now time.Time, item func(f Fixture, now time.Time) T) []T {
	now = now.Truncate(time.Minute)
	return l.cache.Get(listKey{w, now.Unix()}, func() []T {
		fixtures := w.Fixtures(now)
		list := make([]T, len(fixtures))
		for i, f := range fixtures {
			list[i] = item(f, now)
		}
		return list
	})
}
