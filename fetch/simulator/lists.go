package simulator

import (
	"sync"
	"time"
)

// Cache keeps the newest results of a pure function. It drops the oldest ones when their
// total size exceeds its limit, but never the last one. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int
	size  func(V) int

	mu      sync.Mutex
	used    int
	entries map[K]V
	order   []K // oldest first
}

// NewCache returns an empty cache.
func NewCache[K comparable, V any](limit int, size func(V) int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, size: size, entries: make(map[K]V)}
}

// Get returns the value of a key, calling make if it is not cached. Concurrent callers
// may make the same value twice.
func (c *Cache[K, V]) Get(k K, make func() V) V {
	c.mu.Lock()
	v, ok := c.entries[k]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.entries[k]; twice {
		return v
	}
	c.entries[k], c.order, c.used = v, append(c.order, k), c.used+c.size(v)
	for c.used > c.limit && len(c.order) > 1 {
		oldest := c.order[0]
		c.order, c.used = c.order[1:], c.used-c.size(c.entries[oldest])
		delete(c.entries, oldest)
	}
	return v
}

func one[V any](V) int { return 1 }

// Page is one page of a list.
type Page struct {
	Number int // from 1
	Size   int
	Total  int    // items of the whole list
	Asked  string // the request as repeated by the envelope, if a dialect's does
}

// PageOf returns the items of one page, none behind the last one.
func PageOf[T any](items []T, number, size int) ([]T, Page) {
	from := min((number-1)*size, len(items))
	return items[from:min(from+size, len(items))], Page{Number: number, Size: size, Total: len(items)}
}

// Lists keeps the rendered lists of worlds. A list changes at whole minutes only.
type Lists[T any] struct {
	fixtures func(w *World, now time.Time) []Fixture
	cache    *Cache[listKey, []T]
}

type listKey struct {
	world  *World
	minute int64
}

// NewLists returns an empty cache of lists of the given fixtures; size is that of an item
// in bytes.
func NewLists[T any](fixtures func(w *World, now time.Time) []Fixture, size func(T) int) Lists[T] {
	return Lists[T]{fixtures, NewCache[listKey](64<<20, func(list []T) (sum int) {
		for _, item := range list {
			sum += size(item)
		}
		return sum
	})}
}

// Get returns the fixtures of a world at a moment, each rendered by item.
func (l Lists[T]) Get(w *World, now time.Time, item func(f Fixture, now time.Time) T) []T {
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
