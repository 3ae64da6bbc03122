package gate

import (
	"sync"
	"sync/atomic"
)

// Crowd counts each account's requests under way. Its zero value is nobody. Safe
// for concurrent use.
type Crowd struct{ here sync.Map } // client id → *atomic.Int64

// Enter counts one more, unless that would be more than most. Who entered leaves.
func (c *Crowd) Enter(clientID string, most int64) bool {
	n := c.of(clientID)
	if n.Add(1) > most {
		n.Add(-1)
		return false
	}
	return true
}

// Leave counts one less.
func (c *Crowd) Leave(clientID string) { c.of(clientID).Add(-1) }

func (c *Crowd) of(clientID string) *atomic.Int64 {
	n, ok := c.here.Load(clientID)
	if !ok {
		n, _ = c.here.LoadOrStore(clientID, new(atomic.Int64))
	}
	return n.(*atomic.Int64)
}
