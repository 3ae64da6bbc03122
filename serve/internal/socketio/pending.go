package socketio

import (
	"container/list"
	"sync"
)

// pending are the connections without a namespace. They are limited in total and for each
// peer. At a limit, the oldest one is evicted for the next: of the same peer, or else of the
// peer with most of them, so that a flood from one peer does not displace the connections of
// others. A connection is not evicted while the handler decides about it.
type pending struct {
	max, maxOfPeer int

	mu      sync.Mutex
	n       int
	peers   map[string]*peer
	levels  []*list.List // of *peer: by the number of their evictable connections; of two, the older peer first
	evicted uint64
}

type peer struct {
	n      int       // number of pending connections
	oldest list.List // of *pendingEntry: the evictable ones, the oldest first
	level  int
	in     *list.Element // of its level; nil at level 0
}

// pendingEntry is the entry of one pending connection. Guarded by the mutex of pending.
type pendingEntry struct {
	connection *connection
	peer       string
	in         *list.Element // nil while it is protected
	left       bool
}

// enter adds a connection. at is nil if all others are protected. The caller must abort
// victim.
func (p *pending) enter(c *connection, name string) (at *pendingEntry, victim *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.peers[name]
	if own == nil {
		own = new(peer)
	}
	from := own
	switch {
	case own.n >= p.maxOfPeer:
	case p.n >= p.max:
		from = p.largest()
	default:
		from = nil
	}
	if from != nil {
		front := from.oldest.Front()
		if front == nil {
			return nil, nil
		}
		old := front.Value.(*pendingEntry)
		p.leave(old)
		p.evicted++
		victim = old.connection
	}
	p.peers[name] = own
	own.n++
	p.n++
	at = &pendingEntry{connection: c, peer: name}
	at.in = own.oldest.PushBack(at)
	p.relevel(own)
	return at, victim
}

// largest returns the peer with most evictable connections, or one without any if there is
// none.
func (p *pending) largest() *peer {
	for n := len(p.levels) - 1; n > 0; n-- {
		if front := p.levels[n].Front(); front != nil {
			return front.Value.(*peer)
		}
		p.levels = p.levels[:n]
	}
	return new(peer)
}

// relevel moves a peer to its level after a change.
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

// leave removes an entry; the mutex is held.
func (p *pending) leave(at *pendingEntry) {
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

// free removes an entry. Further calls do nothing.
func (p *pending) free(at *pendingEntry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave(at)
}

// protect prevents an entry from being evicted; afterwards it is the oldest of its peer
// again.
func (p *pending) protect(at *pendingEntry, on bool) {
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

func (p *pending) count() (now int, evicted uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n, p.evicted
}
