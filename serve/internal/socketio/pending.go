package socketio

import (
	"container/list"
	"sync"
)

// pending are the connections that have joined no namespace. They are bounded in
// total and by peer: at a bound the oldest one makes room for the next, of the same
// peer or else of the peer that has most of them, so that who floods takes nothing
// from others. One that is being judged is left alone.
type pending struct {
	most, ofPeer int

	mu      sync.Mutex
	n       int
	peers   map[string]*peer
	levels  []*list.List // of *peer: by how many of its places may be taken, the one that has been there longest first
	evicted uint64
}

// peer is what comes from one address.
type peer struct {
	n      int       // pending
	oldest list.List // of *place: those that may be evicted, the oldest first
	level  int
	in     *list.Element // of that level; nil at level 0
}

// place is that of one pending connection. Guarded by the mutex of pending.
type place struct {
	connection *connection
	peer       string
	in         *list.Element // nil while the connection is being judged
	left       bool
}

// enter gives a connection a place. Without one there is no room: all others are
// being judged. victim is to be aborted.
func (p *pending) enter(c *connection, name string) (at *place, victim *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.peers[name]
	if own == nil {
		own = new(peer)
	}
	from := own
	switch {
	case own.n >= p.ofPeer:
	case p.n >= p.most:
		from = p.largest()
	default:
		from = nil
	}
	if from != nil {
		front := from.oldest.Front()
		if front == nil {
			return nil, nil
		}
		old := front.Value.(*place)
		p.leave(old)
		p.evicted++
		victim = old.connection
	}
	p.peers[name] = own
	own.n++
	p.n++
	at = &place{connection: c, peer: name}
	at.in = own.oldest.PushBack(at)
	p.relevel(own)
	return at, victim
}

// largest is the peer with the most places that may be taken, without any when there
// is none.
func (p *pending) largest() *peer {
	for n := len(p.levels) - 1; n > 0; n-- {
		if front := p.levels[n].Front(); front != nil {
			return front.Value.(*peer)
		}
		p.levels = p.levels[:n]
	}
	return new(peer)
}

// relevel puts a peer where it belongs after a change of its places.
func (p *pending) relevel(of *peer) {
	n := of.oldest.Len()
	if n == of.level {
		return
	}
	if of.in != nil {
		p.levels[of.level].Remove(of.in)
		of.in = nil
	}
	if of.level = n; n > 0 {
		for len(p.levels) <= n {
			p.levels = append(p.levels, list.New())
		}
		of.in = p.levels[n].PushBack(of)
	}
}

// leave gives a place back; the mutex is held.
func (p *pending) leave(at *place) {
	if at.left {
		return
	}
	at.left = true
	own := p.peers[at.peer]
	if at.in != nil {
		own.oldest.Remove(at.in)
		p.relevel(own)
	}
	p.n--
	if own.n--; own.n == 0 {
		delete(p.peers, at.peer)
	}
}

// free gives a place back, once.
func (p *pending) free(at *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave(at)
}

// judge keeps a place from being taken while its connection is judged; afterwards
// it is the oldest of its peer's again.
func (p *pending) judge(at *place, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.peers[at.peer]
	switch {
	case at.left:
	case on && at.in != nil:
		own.oldest.Remove(at.in)
		at.in = nil
		p.relevel(own)
	case !on && at.in == nil:
		at.in = own.oldest.PushFront(at)
		p.relevel(own)
	}
}

// count is how many there are now, and how many had to make room so far.
func (p *pending) count() (now int, evicted uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n, p.evicted
}
