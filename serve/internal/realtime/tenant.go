package realtime

import (
	"sync"

	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// tenant is one account's connections, and the packets that they share.
type tenant struct {
	clientID string

	mu          sync.Mutex
	connections map[*connection]struct{}

	making sync.Mutex // apart from mu: a page may have to be read from disk
	pages  map[position]page
	lives  livePacket
}

// position is a place in one history of a change log.
type position struct {
	history string
	seq     uint64
}

// page is the push of the events behind a position.
type page struct {
	packet *socketio.Packet
	last   uint64 // the position behind it
	events int
	more   bool // there are further ones
}

// livePacket is the push of one snapshot, or of its feed's having become stale.
type livePacket struct {
	shown  shown
	packet *socketio.Packet
}

// join takes a place of the account for a connection; false when none is left.
// Taking and counting are one step, so that a burst cannot take one too many.
func (s *Service) join(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[c.holder.ClientID]
	if t == nil {
		t = &tenant{clientID: c.holder.ClientID, connections: map[*connection]struct{}{}}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.connections) >= s.o.Connections {
		return false
	}
	t.connections[c] = struct{}{}
	s.tenants[t.clientID] = t
	c.tenant = t
	return true
}

// leave gives the place back.
func (s *Service) leave(c *connection) {
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

// mostPages bounds the pages that are kept: enough for connections that catch up
// side by side.
const mostPages = 16

// page returns the push of the events behind a position, made once for all
// connections that are there.
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
	if t.pages == nil || len(t.pages) >= mostPages {
		t.pages = make(map[position]page)
	}
	t.pages[at] = p
	return p, nil
}

// forget lets go of pages that nobody is likely to ask for again.
func (t *tenant) forget() {
	t.making.Lock()
	defer t.making.Unlock()
	t.pages = nil
}
