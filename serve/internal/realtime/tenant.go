package realtime

import (
	"context"
	"sync"
	"time"

	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// tenant has one account's connections, and their common packets.
type tenant struct {
	clientID string

	serving  sync.Mutex    // held during a tick, so that no older view follows a newer one
	lastPush time.Duration // on deadline.Elapsed; 0 = none; guarded by serving

	mu          sync.Mutex
	connections map[*connection]struct{}

	making sync.Mutex // separate from mu, because a page may have to be read from disk
	pages  map[position]page
	lives  livePacket
}

type position struct {
	history string
	seq     uint64
}

type page struct {
	packet *socketio.Packet
	last   uint64 // the position after it
	events int
	more   bool // there are further events
}

// livePacket is the push of one snapshot, or of its feed becoming stale.
type livePacket struct {
	state  liveState
	packet *socketio.Packet
}

// join adds a connection to its account, or returns false if the account has too many.
func (s *Service) join(ctx context.Context, c *connection) bool {
	if !s.o.Sockets.Open(ctx, c.pass.ClientID, c.socket.ID(), s.o.Connections) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[c.pass.ClientID]
	if t == nil {
		t = &tenant{clientID: c.pass.ClientID, connections: map[*connection]struct{}{}}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connections[c] = struct{}{}
	s.tenants[t.clientID] = t
	c.tenant = t
	return true
}

func (s *Service) leave(c *connection) {
	s.remove(c)
	s.o.Sockets.Close(c.tenant.clientID, c.socket.ID())
}

func (s *Service) remove(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := c.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.connections, c)
	if len(t.connections) == 0 {
		delete(s.tenants, t.clientID)
	}
}

func (t *tenant) members() []*connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]*connection, 0, len(t.connections))
	for c := range t.connections {
		list = append(list, c)
	}
	return list
}

// maxPages is the number of cached pages, enough for connections that catch up at the same
// time.
const maxPages = 16

// page returns the push of the events after a position, which is made once for all
// connections.
func (t *tenant) page(at position, v *reader.View) (page, error) {
	t.making.Lock()
	defer t.making.Unlock()
	p, ok := t.pages[at]
	if ok && (p.events == pageSize || p.last == v.Commit().LastSeq) {
		p.more = p.last < v.Commit().LastSeq
		return p, nil
	}
	p, err := newPage(at, v)
	if err != nil {
		return p, err
	}
	if t.pages == nil || len(t.pages) >= maxPages {
		t.pages = make(map[position]page)
	}
	t.pages[at] = p
	return p, nil
}

// forget drops the cached pages, which are unlikely to be needed after a tick.
func (t *tenant) forget() {
	t.making.Lock()
	defer t.making.Unlock()
	t.pages = nil
}
