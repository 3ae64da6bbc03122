package reader

import (
	"container/list"
	"sync"
)

// lru is a cache of the most recently used values, up to a total weight. Evicted
// values are dropped without being closed. Safe for concurrent use.
type lru[K comparable, V any] struct {
	mu       sync.Mutex
	capacity int
	weight   int
	order    list.List // of *kept, newest first
	items    map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func newLRU[K comparable, V any](capacity int) *lru[K, V] {
	return &lru[K, V]{capacity: capacity, items: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(item)
	return item.Value.(*kept[K, V]).value, true
}

// contains reports whether there is a value, without using it.
func (c *lru[K, V]) contains(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.items[key]
	return ok
}

// put adds a value unless its weight is more than a quarter of the capacity, because
// one large value must not evict all others.
func (c *lru[K, V]) put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if weight > c.capacity/4 {
		return
	}
	if _, ok := c.items[key]; ok {
		return // another request has added it
	}
	c.items[key] = c.order.PushFront(&kept[K, V]{key, value, weight})
	c.weight += weight
	for c.weight > c.capacity {
		last := c.order.Back()
		old := c.order.Remove(last).(*kept[K, V])
		delete(c.items, old.key)
		c.weight -= old.weight
	}
}

func (c *lru[K, V]) totalWeight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.weight
}
