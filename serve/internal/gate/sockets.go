package gate

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Sockets limits how many sockets an account has open at once. It must be safe for
// concurrent use.
type Sockets interface {
	// Open adds a socket to an account, or returns false if the account has the maximum
	// already. The check and the addition are one step: simultaneous sockets cannot exceed
	// the maximum.
	Open(ctx context.Context, clientID, socket string, maximum int) bool
	// Close removes a socket added by Open.
	Close(clientID, socket string)
}

// OpenSockets is the Sockets of a single process. Its zero value is ready to use.
type OpenSockets struct {
	mu   sync.Mutex
	byID map[string]map[string]struct{} // client id → sockets
}

// Open implements Sockets.
func (o *OpenSockets) Open(_ context.Context, clientID, socket string, maximum int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	open := o.byID[clientID]
	if len(open) >= maximum {
		return false
	}
	if open == nil {
		if o.byID == nil {
			o.byID = map[string]map[string]struct{}{}
		}
		open = map[string]struct{}{}
		o.byID[clientID] = open
	}
	open[socket] = struct{}{}
	return true
}

// Close implements Sockets.
func (o *OpenSockets) Close(clientID, socket string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.byID[clientID], socket)
	if len(o.byID[clientID]) == 0 {
		delete(o.byID, clientID)
	}
}

// Has reports whether a socket is open.
func (o *OpenSockets) Has(clientID, socket string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, open := o.byID[clientID][socket]
	return open
}

// All returns the sockets of each account. Sockets that are opened or closed meanwhile may
// or may not be among them.
func (o *OpenSockets) All() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		o.mu.Lock()
		ids := slices.Collect(maps.Keys(o.byID))
		o.mu.Unlock()
		for _, id := range ids {
			o.mu.Lock()
			sockets := slices.Collect(maps.Keys(o.byID[id]))
			o.mu.Unlock()
			if len(sockets) > 0 && !yield(id, sockets) {
				return
			}
		}
	}
}
