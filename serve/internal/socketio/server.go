package socketio

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"mkt/serve/internal/socketio/engine"
)

// Server is an http.Handler for one path. Safe for concurrent use.
type Server struct {
	o       Options
	engine  *engine.Server
	pending pending
	sockets atomic.Int64
}

// New makes a server. Nothing runs until a client comes.
func New(o Options) *Server {
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Second)
	o.MaxSessions = cmp.Or(o.MaxSessions, 20_000)
	o.MaxPending = cmp.Or(o.MaxPending, 2000)
	o.MaxOfPeer = cmp.Or(o.MaxOfPeer, max(o.MaxPending/2, 1))
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, pending: pending{most: o.MaxPending, ofPeer: o.MaxOfPeer, peers: map[string]*peer{}}}
	s.engine = engine.New(engine.Options{
		Open:         s.open,
		PingInterval: o.PingInterval, PingTimeout: o.PingTimeout, UpgradeTimeout: o.UpgradeTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		MaxPayload: o.MaxPayload, MaxBacklog: o.MaxBacklog, Burst: o.Burst, Pace: o.Pace, MaxQueued: o.MaxQueued, MaxSessions: o.MaxSessions + o.MaxPending,
		MaxTarget: o.MaxTarget, MaxHeader: o.MaxHeader,
		WebsocketOnly: o.WebsocketOnly, KeepHeaders: o.KeepHeaders, Peer: o.Peer, Rand: o.Rand, Log: o.Log,
	})
	return s
}

// ConnContext is for http.Server.ConnContext, possibly behind another one. It lets
// the server bound what the operating system holds for a client that polls, so that
// one that reads slowly gets what is newest.
func ConnContext(ctx context.Context, c net.Conn) context.Context { return engine.ConnContext(ctx, c) }

// ServeHTTP implements http.Handler, for whatever path it is mounted at. It
// answers every error itself; cross-origin headers are open to all origins, since
// the origin is to be judged in Handler.Connect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// open takes a new session in.
func (s *Server) open(e *engine.Session) engine.Receiver {
	if s.sockets.Load() >= int64(s.o.MaxSessions) {
		return nil
	}
	c := &connection{server: s, session: e}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.wait() {
		return nil
	}
	return c
}

// newID is 120 random bits, for the public id of a socket.
func (s *Server) newID() (string, error) {
	var b [15]byte
	if _, err := io.ReadFull(s.o.Rand, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Shutdown refuses new sessions with 503, and closes the others spread over half
// of the time that ctx leaves, at most 5 seconds and 20 ms for each, so that they
// do not all come back at once. Transports are closed, without a DISCONNECT: clients reconnect by
// themselves. It returns when every Disconnect has been called, or with ctx's
// error.
func (s *Server) Shutdown(ctx context.Context) error { return s.engine.Shutdown(ctx) }

// Stats is what a server has seen.
type Stats struct {
	Sessions, Websockets int               // now; Websockets are among the Sessions
	Pending              int               // now, not in a namespace
	Sockets              int               // now, joined
	QueuedBytes          int64             // now, waiting for all clients; shared packets count for each
	Opened               uint64            // sessions since the start
	Evicted              uint64            // sessions that made room for others before they had joined
	Refused              uint64            // handshakes for which there was no room
	Closed               map[string]uint64 // sessions by reason, those of Drop among them; the caller's
}

// Stats counts. It visits every session.
func (s *Server) Stats() Stats {
	e := s.engine.Stats()
	waiting, evicted := s.pending.count()
	return Stats{
		Sessions: e.Sessions, Websockets: e.Websockets, QueuedBytes: e.QueuedBytes,
		Opened: e.Opened, Refused: e.Refused, Closed: e.Closed,
		Pending: waiting, Evicted: evicted, Sockets: int(s.sockets.Load()),
	}
}
