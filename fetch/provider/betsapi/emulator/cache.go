package emulator

import (
	"sync"

	"mkt/fetch/simulator"
)

// cacheKey identifies one rendering of a fixture's markets.
type cacheKey struct {
	world   *simulator.World
	number  int64
	version int64
	edition int
}

// cache holds the newest renderings, up to a limit of bytes.
type cache struct {
	mu      sync.Mutex
	limit   int
	size    int
	entries map[cacheKey][]byte
	order   []cacheKey // oldest first
}

func newCache(limit int) *cache { return &cache{limit: limit, entries: make(map[cacheKey][]byte)} }

func (c *cache) get(k cacheKey) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.entries[k]
	return b, ok
}

func (c *cache) put(k cacheKey, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[k]; ok {
		return
	}
	c.entries[k], c.order, c.size = b, append(c.order, k), c.size+len(b)
	for c.size > c.limit && len(c.order) > 1 {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.size -= len(c.entries[oldest])
		delete(c.entries, oldest)
	}
}
