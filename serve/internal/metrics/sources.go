package metrics

import (
	"sync"
	"sync/atomic"
	"time"

	"mkt/internal/listen"
	"mkt/serve/account"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/socketio"
	"mkt/serve/limits"
)

// Sources are the parts of the server that are read at each scrape.
type Sources struct {
	Accounts    *account.Registry
	Library     *reader.Library
	Connections *listen.Listener
	Realtime    *realtime.Service
	Sockets     *socketio.Server
	Limits      *limits.Shared // nil if the limits are those of this process alone
	InFlight    *atomic.Int64  // requests
	Now         func() time.Time
}

type collector struct {
	Sources
	traffic *sync.Map
}
