// Package lru caches the most recently used values in bounded memory.
package lru

import (
	"container/list"
	"sync"
)

// Cache has the most recently used values, up to a total weight. Evicted
// values are dropped without being closed. Safe for concurrent use.
type Cache[K comparable, V any] struct {
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

// New returns an empty cache of a capacity, in the unit of the weights.
func New[K comparable, V any](capacity int) *Cache[K, V] {
	return &Cache[K, V]{capacity: capacity, items: map[K]*list.Element{}}
}

// Get returns a value and makes it the newest.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(item)
	return item.Value.(*kept[K, V]).value, true
}

// Put adds a value unless its weight is more than a quarter of the capacity, because
// one large value must not evict all others. A value that is there is kept with the new weight,
// unless it has become that large.
func (c *Cache[K, V]) Put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[key]
	switch {
	case weight > c.capacity/4:
		if ok {
			c.remove(item)
		}
		return
	case ok: // another request has added it, or it has grown
		was := item.Value.(*kept[K, V])
		c.weight += weight - was.weight
		was.weight = weight
	default:
		c.items[key] = c.order.PushFront(&kept[K, V]{key, value, weight})
		c.weight += weight
	}
	for c.weight > c.capacity {
		c.remove(c.order.Back())
	}
}

func (c *Cache[K, V]) remove(item *list.Element) {
	old := c.order.Remove(item).(*kept[K, V])
	delete(c.items, old.key)
	c.weight -= old.weight
}

// Weight returns the sum of the weights of all values.
func (c *Cache[K, V]) Weight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.weight
}
