package serve

import (
	"context"
	"net"
	"syscall"
	"time"

	"mkt/internal/listen"
	"mkt/serve/internal/api"
	"mkt/serve/internal/response"
	"mkt/serve/internal/socketio"
)

// defaultConnections allows every possible socket, and as many requests.
const defaultConnections = 40_000

// File descriptors that are reserved, of those that the process may open.
const (
	minReservedFiles = 64 // for snapshots and the engines
	reservedShare    = 8  // or this fraction, if that is more
)

// maxConnections returns how many connections the server may hold: as many as asked for, or
// the default if that is 0, but no more than the limit of open files allows.
func maxConnections(asked int) int {
	if asked == 0 {
		asked = defaultConnections
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return asked
	}
	limit := int64(min(uint64(files.Cur), 1<<31))
	return int(min(int64(asked), max(limit-max(minReservedFiles, limit/reservedShare), 1)))
}

func (s *server) connContext(ctx context.Context, c net.Conn) context.Context {
	return socketio.ConnContext(s.connections.ConnContext(ctx, c), c)
}

func (s *server) bounded(l net.Listener, o *Options) *listen.Listener {
	n := maxConnections(o.Connections)
	if n < o.Connections {
		s.log.Warn("the limit of open files allows fewer connections than serve.connections; raise the limit (ulimit -n)", "connections", n)
	}
	perPeer := o.ConnectionsPerAddress
	if perPeer == 0 {
		perPeer = max(n/4*3, 1) // one address must leave connections to others
	}
	return listen.New(response.Listener{Listener: l}, listen.Options{
		Max: n, PerPeer: perPeer, Exempt: listen.Proxies(o.TrustedProxies).Contains,
		Refusal: func() []byte {
			return response.RawRefusal(&api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second})
		},
	})
}
