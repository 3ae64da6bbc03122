package listen

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"mkt/internal/deadline"
)

// Options of a listener.
type Options struct {
	Max     int                   // maximum number of connections; 0 = no limit
	PerPeer int                   // maximum number of connections of one address; 0 = no limit
	Exempt  func(netip.Addr) bool // reports whether only Max applies to an address; nil = to none
	Stall   time.Duration         // after which a write that waits for the client counts as waiting; 0 = 2 s
	Refusal func() []byte         // returns the answer to a refused connection; nil = none
}

// Listener is a net.Listener. The http.Server that accepts from it must use
// ConnState and ConnContext. Safe for concurrent use.
type Listener struct {
	net.Listener
	o Options

	mu      sync.Mutex
	peers   map[netip.Addr]*peer
	all     list[*Conn]
	waiting list[*Conn] // of all peers, the longest waiting first
	evicted uint64
	refused uint64
}

type peer struct {
	open    int
	waiting list[*Conn]
}

// New returns a listener that limits the connections of l.
func New(l net.Listener, o Options) *Listener {
	if o.Stall == 0 {
		o.Stall = 2 * time.Second
	}
	return &Listener{Listener: l, o: o, peers: map[netip.Addr]*peer{}}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if conn := l.admit(c); conn != nil {
			return conn, nil
		}
		l.refuse(c)
	}
}

// refuse answers a connection beyond the limits and closes it. It does not wait: the answer
// fits into the empty buffer of a new connection.
func (l *Listener) refuse(c net.Conn) {
	if l.o.Refusal != nil {
		deadline.Write(c, 100*time.Millisecond)
		c.Write(l.o.Refusal())
	}
	c.Close()
}

// admit counts a connection, and closes a waiting one for it if necessary. It returns nil if
// the connection must be refused.
func (l *Listener) admit(c net.Conn) *Conn {
	address := addressOf(c.RemoteAddr())
	conn := &Conn{Wrapped: Wrapped{c}, listener: l, address: Network(address), exempt: l.o.Exempt != nil && l.o.Exempt(address)}
	victim, ok := l.enter(conn)
	if victim != nil {
		victim.Conn.Close() // its owner notices at the next read or write
	}
	if !ok {
		return nil
	}
	return conn
}

func (l *Listener) enter(c *Conn) (victim *Conn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.peers[c.address]
	if p == nil {
		p = new(peer)
	}
	switch {
	case l.o.PerPeer > 0 && p.open >= l.o.PerPeer && !c.exempt:
		if victim = p.waiting.first(); victim == nil {
			victim = l.stalled(c.address)
		}
	case l.o.Max > 0 && l.all.n >= l.o.Max:
		if victim = l.waiting.first(); victim == nil {
			victim = l.stalled(netip.Addr{})
		}
	default:
		ok = true
	}
	if victim != nil {
		l.leave(victim)
		l.evicted++
		ok = true
	}
	if !ok {
		l.refused++
		return nil, false
	}
	l.peers[c.address] = p // the victim may have been its last connection
	c.peer = p
	p.open++
	l.all.push(&c.inOpen, c)
	l.setWaiting(c, true)
	return victim, true
}

// stalled returns the oldest connection on which an answer waits for the client, or nil. If
// of is valid, only connections of that address count. The lock is held.
func (l *Listener) stalled(of netip.Addr) *Conn {
	before := int64(deadline.Elapsed() - l.o.Stall)
	for k := l.all.head; k != nil; k = k.next {
		c := k.value
		if since := c.writing.Load(); since != 0 && since < before && !c.taken && (!of.IsValid() || c.address == of) {
			return c
		}
	}
	return nil
}

// leave stops counting a connection; the lock is held.
func (l *Listener) leave(c *Conn) {
	if c.left {
		return
	}
	l.setWaiting(c, false)
	c.left = true
	l.all.remove(&c.inOpen)
	if c.peer.open--; c.peer.open == 0 && l.peers[c.address] == c.peer {
		delete(l.peers, c.address)
	}
}

// setWaiting adds a connection to the lists of those for which the server waits, or removes
// it; the lock is held.
func (l *Listener) setWaiting(c *Conn, on bool) {
	if c.left || on == c.inWaiting.in {
		return
	}
	if on {
		l.waiting.push(&c.inWaiting, c)
		c.peer.waiting.push(&c.inPeer, c)
	} else {
		l.waiting.remove(&c.inWaiting)
		c.peer.waiting.remove(&c.inPeer)
	}
}

// ConnState is for http.Server.ConnState.
func (l *Listener) ConnState(c net.Conn, state http.ConnState) {
	conn, ok := c.(*Conn)
	if secure, isTLS := c.(*tls.Conn); isTLS {
		conn, ok = secure.NetConn().(*Conn)
	}
	if !ok {
		return
	}
	switch state {
	case http.StateHijacked:
		l.mu.Lock()
		conn.taken = true
		l.mu.Unlock()
		conn.mark(false)
	case http.StateActive:
		conn.mark(false)
	case http.StateIdle:
		conn.mark(true)
	}
}

type contextKey struct{}

// ConnContext is for http.Server.ConnContext.
func (l *Listener) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if conn, ok := c.(*Conn); ok {
		return context.WithValue(ctx, contextKey{}, conn)
	}
	return ctx
}

// FromContext returns the connection of a request from the context of the request, or nil
// if it does not belong to a Listener.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(contextKey{}).(*Conn)
	return c
}

// Stats are the statistics of a listener.
type Stats struct {
	Open    int    // now
	Waiting int    // now, idle or with an incomplete request
	Evicted uint64 // closed in favour of a new one
	Refused uint64
}

// Stats returns the current statistics.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{l.all.n, l.waiting.n, l.evicted, l.refused}
}
