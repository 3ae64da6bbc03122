package serve

import (
	"context"
	"net"
	"syscall"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/listen"
	"mkt/serve/internal/socketio"
)

// defaultConnections bounds the connections at once: every socket that there may be,
// and as many requests.
const defaultConnections = 40_000

// Shares of the files that the process may open.
const (
	leastFiles = 64 // kept for snapshots and the engine's own
	filesShare = 8  // or one part in so many, where that is more
)

// connections is how many connections the server may hold: as many as asked for, 0
// for the default, and no more than the files that the process may open allow.
func connections(asked int) int {
	if asked == 0 {
		asked = defaultConnections
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return asked
	}
	limit := int64(min(uint64(files.Cur), 1<<31))
	return int(min(int64(asked), max(limit-max(leastFiles, limit/filesShare), 1)))
}

// connContext lets a request find the connection that it came over.
func (s *server) connContext(ctx context.Context, c net.Conn) context.Context {
	return socketio.ConnContext(s.connections.ConnContext(ctx, c), c)
}

// bounded bounds the connections of a listener.
func (s *server) bounded(l net.Listener, o *Options) *listen.Listener {
	n := connections(o.Connections)
	if n < o.Connections {
		s.log.Warn("the limit of open files allows fewer connections than serve.connections", "connections", n)
	}
	perPeer := o.ConnectionsPerAddress
	if perPeer == 0 {
		perPeer = max(n/4*3, 1) // who floods leaves room for others
	}
	return listen.New(plainListener{l}, listen.Options{Max: n, PerPeer: perPeer, Exempt: listen.Proxies(o.TrustedProxies).Contains, Refusal: func() []byte {
		return protocolAnswer(&api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second})
	}})
}
