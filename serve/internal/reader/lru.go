package reader

import (
	"container/list"
	"sync"
)

// lru keeps what was used last, up to a weight. What is evicted is just
// forgotten: nothing in it needs closing. Safe for concurrent use.
type lru[K comparable, V any] struct {
	mu     sync.Mutex
	room   int
	weight int
	order  list.List // of *kept, newest first
	items  map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func newLRU[K comparable, V any](room int) *lru[K, V] {
	return &lru[K, V]{room: room, items: map[K]*list.Element{}}
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

// put keeps a value, unless it is heavier than a quarter of the room: one large
// thing must not push all others out.
func (c *lru[K, V]) put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if weight > c.room/4 {
		return
	}
	if _, ok := c.items[key]; ok {
		return // another request made the same
	}
	c.items[key] = c.order.PushFront(&kept[K, V]{key, value, weight})
	c.weight += weight
	for c.weight > c.room {
		last := c.order.Back()
		old := c.order.Remove(last).(*kept[K, V])
		delete(c.items, old.key)
		c.weight -= old.weight
	}
}

// weighs is the weight of what is kept.
func (c *lru[K, V]) weighs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.weight
}
