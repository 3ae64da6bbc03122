package lru

import "testing"

func TestCacheStaysWithinItsCapacity(t *testing.T) {
	t.Parallel()
	c := New[int, int](100)
	for i := range 1000 {
		c.Put(i, i, 10)
		c.Get(0) // used all the time
	}
	kept := 0
	for i := range 1000 {
		if v, ok := c.Get(i); ok && v == i {
			kept++
		}
	}
	if _, ok := c.Get(0); kept != 10 || !ok || c.Weight() != 100 {
		t.Errorf("%d kept, weight %d, the one in use kept: %v", kept, c.Weight(), ok)
	}
	c.Put(-1, 0, 26) // more than a quarter of the capacity
	if _, ok := c.Get(-1); ok {
		t.Error("one large value evicted others")
	}
	c.Put(0, 0, 25) // has grown
	if _, ok := c.Get(0); !ok || c.Weight() > 100 {
		t.Errorf("a value that has grown: kept %v, weight %d", ok, c.Weight())
	}
	before := c.Weight()
	c.Put(0, 0, 26)
	if _, ok := c.Get(0); ok || c.Weight() != before-25 {
		t.Errorf("a value that has grown too large: kept %v, weight %d, before %d", ok, c.Weight(), before)
	}
}
