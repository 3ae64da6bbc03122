package serve

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"mkt/internal/listen"
	"mkt/publish/durable"
	"mkt/serve/account"
	"mkt/serve/asof"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/metrics"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/socketio"
	"mkt/serve/limits"
	"mkt/serve/requests"
)

// maxInFlight is the maximum number of requests in progress over all accounts, and
// maxInFlightEach that of one account, which must leave some to others.
const (
	maxInFlight     = 16_384
	maxInFlightEach = maxInFlight / 4 * 3
)

type server struct {
	log         *slog.Logger
	clock       *asof.Clock
	real        func() time.Time // for durations
	now         func() time.Time // of clock, for everything that is reported
	accounts    *account.Registry
	gate        *gate.Gate
	openSockets gate.Sockets
	limits      *limits.Shared // nil if the limits are those of this process alone
	usage       *gate.Usage
	requests    *requests.Log // nil if none are kept
	library     *reader.Library
	service     api.Service
	schema      *api.Page
	echo        *echo.Echo
	metrics     *metrics.Metrics
	realtime    *realtime.Service

	connections *listen.Listener
	readTime    time.Duration    // of a request's body
	sockets     *socketio.Server // the protocol of the socket

	replicates bool     // the data root is a copy of an object store
	extensions []string // that are offered

	prepared atomic.Bool // a replay shows its beginning
	leaving  atomic.Bool // the shutdown has begun
	draining atomic.Bool // and new requests are refused
	inFlight atomic.Int64

	usageDisk    *durable.Disk // nil if the counters are kept in memory only
	requestsDisk *durable.Disk // nil if no requests are kept
}
