// Package cache keeps results of pure functions for a while.
package cache

import "sync"

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

// New returns an empty cache.
func New[K comparable, V any](limit int, size func(V) int) *Cache[K, V] {
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
