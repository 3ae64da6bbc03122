package socketio

import (
	"context"
	"net/http"
)

// Server is an http.Handler for one path. Safe for concurrent use.
type Server struct{}

// New makes a server. Nothing runs until a client comes.
func New(o Options) *Server { return nil }

// ServeHTTP implements http.Handler, for whatever path it is mounted at. It
// answers every error itself; cross-origin headers are open to all origins, since
// the origin is to be judged in Handler.Connect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

// Shutdown refuses new sessions with 503, and closes the others spread over half
// of the time that ctx leaves, at most 5 seconds, so that they do not all come
// back at once. Transports are closed, without a DISCONNECT: clients reconnect by
// themselves. It returns when every Disconnect has been called, or with ctx's
// error.
func (s *Server) Shutdown(ctx context.Context) error { return nil }

// Stats is what a server has seen.
type Stats struct {
	Sessions, Websockets int               // now; Websockets are among the Sessions
	Pending              int               // now, not in a namespace
	Sockets              int               // now, joined
	QueuedBytes          int64             // now, waiting for all clients; shared packets count for each
	Opened               uint64            // sessions since the start
	Refused              uint64            // handshakes for which there was no room
	Closed               map[string]uint64 // sessions by reason (Drop's own reasons as "dropped"); the caller's
}

// Stats counts.
func (s *Server) Stats() Stats { return Stats{} }
