package socketio

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
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

// New returns a server. It starts no goroutines before a client connects.
func New(o Options) *Server {
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Second)
	o.MaxSessions = cmp.Or(o.MaxSessions, 20_000)
	o.MaxPending = cmp.Or(o.MaxPending, 2000)
	o.MaxOfPeer = cmp.Or(o.MaxOfPeer, max(o.MaxPending/2, 1))
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, pending: pending{max: o.MaxPending, maxOfPeer: o.MaxOfPeer, peers: map[string]*peer{}}}
	s.engine = engine.New(engine.Options{
		Open:         s.open,
		PingInterval: o.PingInterval, PingTimeout: o.PingTimeout, UpgradeTimeout: o.UpgradeTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		MaxPayload: o.MaxPayload, MaxQueued: o.MaxQueued, MaxSessions: o.MaxSessions + o.MaxPending,
		MaxTarget: o.MaxTarget, MaxHeader: o.MaxHeader,
		WebsocketOnly: o.WebsocketOnly, Uncompressed: o.Uncompressed, KeepHeaders: o.KeepHeaders, Peer: o.Peer, Log: o.Log,
	})
	return s
}

// ConnContext is for http.Server.ConnContext, alone or combined with another one. It lets
// the server limit the operating system's buffer for a polling client, so that a slow
// client gets the newest data.
func ConnContext(ctx context.Context, c net.Conn) context.Context { return engine.ConnContext(ctx, c) }

// ServeHTTP implements http.Handler, for any path. It answers all errors itself.
// Cross-origin headers allow all origins, because the origin is checked in
// Handler.Connect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

func (s *Server) open(e *engine.Session) engine.Receiver {
	if s.sockets.Load() >= int64(s.o.MaxSessions) {
		return nil
	}
	c := &connection{server: s, session: e}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.startWaiting() {
		return nil
	}
	return c
}

func newID() string {
	var b [15]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Shutdown refuses new sessions with 503 and closes the others, spread over half of the time
// until ctx's deadline, but at most 5 seconds and 20 ms for each. So they do not all
// reconnect at once. Connections are closed without a DISCONNECT, so that clients reconnect
// by themselves. It returns after the last Disconnect, or with ctx's error.
func (s *Server) Shutdown(ctx context.Context) error { return s.engine.Shutdown(ctx) }

// Stats are the statistics of a server.
type Stats struct {
	Sessions, Websockets int               // now; Websockets are among the Sessions
	Pending              int               // now, not in a namespace
	Sockets              int               // now, joined
	QueuedBytes          int64             // now, waiting for all clients; a shared packet counts for each
	Opened               uint64            // sessions since the start
	Evicted              uint64            // sessions evicted before they had joined
	Refused              uint64            // handshakes refused because of a limit
	Closed               map[string]uint64 // sessions by reason, including those of Drop; it belongs to the caller
}

// Stats returns the current statistics. It visits every session.
func (s *Server) Stats() Stats {
	e := s.engine.Stats()
	waiting, evicted := s.pending.count()
	return Stats{
		Sessions: e.Sessions, Websockets: e.Websockets, QueuedBytes: e.QueuedBytes,
		Opened: e.Opened, Refused: e.Refused, Closed: e.Closed,
		Pending: waiting, Evicted: evicted, Sockets: int(s.sockets.Load()),
	}
}
