package realtime

import (
	"maps"
	"sync"
	"sync/atomic"

	"mkt/serve/internal/api"
)

type counters struct {
	connected       atomic.Uint64
	disconnected    tally // by reason
	refused         tally // handshakes by code
	messagesRefused tally // messages by code
	closed          tally // channels by code

	subscribed [numChannels]atomic.Int64 // now
	pushed     [numChannels]atomic.Uint64
	events     atomic.Uint64
}

// tally counts by words of a closed set. Its zero value is ready to use.
type tally struct {
	mu sync.Mutex
	n  map[string]uint64
}

func (t *tally) add(word string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]uint64{}
	}
	t.n[word]++
}

func (t *tally) counts() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.n)
}

// Stats are the statistics of a service. The keys of its maps come from closed sets, and
// the maps may be nil.
type Stats struct {
	Connections   int // now
	Accounts      int // now, with connections
	Subscriptions map[api.Channel]int64

	Connected       uint64            // accepted handshakes
	Refused         map[string]uint64 // refused handshakes by code
	MessagesRefused map[string]uint64 // refused messages by code
	Closed          map[string]uint64 // channel_closed by code
	Disconnected    map[string]uint64 // by reason
	Pushes          map[api.Channel]uint64
	Events          uint64 // change events in the pushes
}

// Stats returns the current statistics.
func (s *Service) Stats() Stats {
	c := &s.counters
	st := Stats{
		Connected: c.connected.Load(), Events: c.events.Load(),
		Refused: c.refused.counts(), MessagesRefused: c.messagesRefused.counts(), Closed: c.closed.counts(), Disconnected: c.disconnected.counts(),
		Subscriptions: map[api.Channel]int64{}, Pushes: map[api.Channel]uint64{},
	}
	for i, ch := range channels {
		st.Subscriptions[ch.name] = c.subscribed[i].Load()
		st.Pushes[ch.name] = c.pushed[i].Load()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Accounts = len(s.tenants)
	for _, t := range s.tenants {
		t.mu.Lock()
		st.Connections += len(t.connections)
		t.mu.Unlock()
	}
	return st
}
