package gate

import (
	"sync"
	"sync/atomic"
)

// InFlight counts the requests of each account in progress. Its zero value is ready to use.
// Safe for concurrent use.
type InFlight struct{ counts sync.Map } // client id → *atomic.Int64

// Enter counts one more request and returns true, or returns false if the account
// already has limit requests. After a true result the caller must call Leave.
func (f *InFlight) Enter(clientID string, limit int64) bool {
	n := f.of(clientID)
	if n.Add(1) > limit {
		n.Add(-1)
		return false
	}
	return true
}

// Leave counts one request less.
func (f *InFlight) Leave(clientID string) { f.of(clientID).Add(-1) }

func (f *InFlight) of(clientID string) *atomic.Int64 {
	n, ok := f.counts.Load(clientID)
	if !ok {
		n, _ = f.counts.LoadOrStore(clientID, new(atomic.Int64))
	}
	return n.(*atomic.Int64)
}
