package history

import (
	"container/list"
	"sync"

	"mkt/publish/layout"
)

// maxCached is how many selections a [Cache] keeps, which bounds its memory to some 60 MB.
const maxCached = 100_000

// Cache keeps the read parts of published snapshots, which never change. It is safe for
// concurrent use.
type Cache struct {
	mu    sync.Mutex
	steps map[cacheKey]*list.Element
	order list.List // the least recently used first
	size  int

	events map[eventsKey][]event
}

// maxEvents is how many fixtures' events a [Cache] keeps.
const maxEvents = 64

// eventsKey names the events of a fixture up to a publication.
type eventsKey struct {
	dataset string
	record  string // hash of the commit record
	fixture string
}

type cacheKey struct {
	dataset string
	cycle   layout.CycleID
	fixture string
}

type cached struct {
	key  cacheKey
	step *Step
	size int
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{steps: map[cacheKey]*list.Element{}, events: map[eventsKey][]event{}}
}

func (c *Cache) eventsOf(key eventsKey) ([]event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, ok := c.events[key]
	return list, ok
}

func (c *Cache) putEvents(key eventsKey, list []event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.events) >= maxEvents {
		clear(c.events)
	}
	c.events[key] = list
}

func (c *Cache) get(key cacheKey) (*Step, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.steps[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToBack(e)
	return e.Value.(*cached).step, true
}

func (c *Cache) put(key cacheKey, s *Step) {
	size := 10
	for _, m := range s.Markets {
		size += 1 + len(m.Selections)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.steps[key]; ok || size > maxCached {
		return
	}
	c.steps[key] = c.order.PushBack(&cached{key, s, size})
	for c.size += size; c.size > maxCached; {
		oldest := c.order.Remove(c.order.Front()).(*cached)
		delete(c.steps, oldest.key)
		c.size -= oldest.size
	}
}
