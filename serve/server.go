package serve

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"mkt/internal/listen"
	"mkt/internal/panics"
	"mkt/publish/durable"
	"mkt/serve/account"
	"mkt/serve/clock"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/socketio"
	"mkt/serve/limits"
)

type server struct {
	log         *slog.Logger
	clock       *clock.Clock
	real        func() time.Time // for durations
	now         func() time.Time // of clock, for everything that is reported
	accounts    *account.Registry
	gate        *gate.Gate
	openSockets gate.Sockets
	limits      *limits.Shared // nil if the limits are those of this process alone
	usage       *gate.Usage
	library     *reader.Library
	service     api.Service
	schema      *api.Page
	echo        *echo.Echo
	metrics     *metrics
	traffic     sync.Map // client id → *traffic
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

	usageDisk *durable.Disk // nil if the counters are kept in memory only
}

// maxInFlight is the maximum number of requests in progress over all accounts, and
// maxInFlightEach that of one account, which must leave some to others.
const (
	maxInFlight     = 16_384
	maxInFlightEach = maxInFlight / 4 * 3
)

const allowed = "GET, OPTIONS"

// ServeHTTP is the outermost handler: request id, panics, log, and the refusals before
// routing.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &answer{ResponseWriter: w, id: requestID(r), began: s.now(), method: knownMethod(r.Method)}
	began := s.real()
	defer func() {
		if p := recover(); p != nil {
			s.answerPanic(a, p)
		}
		ended := s.real()
		a.took = ended.Sub(began)
		s.metrics.count(a)
		s.logLine(a, ended)
	}()
	if isRealtime(r) {
		s.serveRealtime(a, r)
		return
	}
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	if r.ContentLength != 0 {
		defer listen.BoundBody(a, r, s.readTime, lingerTime)()
	}
	draining := s.draining.Load()
	if draining {
		a.Header().Set("Connection", "close")
	}
	switch {
	case r.Method == http.MethodOptions: // also while draining: a browser does not show the answer if its preflight failed
		preflight(a, r)
	case draining:
		a.shed = shedDrain
		a.shareWith(gate.Origin(r.Header))
		a.refuse(&api.Error{Code: api.ServiceUnavailable, RetryAfter: 2 * time.Second})
	case s.inFlight.Load() > maxInFlight:
		a.shed = shedCrowd
		a.refuse(&api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second})
	case r.Method != http.MethodGet:
		a.Header().Set("Allow", allowed)
		a.refuse(api.Refuse(api.MethodNotAllowed))
	default:
		normalizePath(r.URL)
		if r.ContentLength != 0 {
			a.body = a.discardBody(r)
		}
		s.echo.ServeHTTP(a, r)
	}
}

// preflight answers OPTIONS, for any path and without a token. Every origin may ask; the
// account's list is checked in the actual request.
func preflight(a *answer, r *http.Request) {
	h := a.Header()
	h.Set("Allow", allowed)
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	if origin := gate.Origin(r.Header); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Methods", allowed)
		h.Set("Access-Control-Allow-Headers", "Authorization, If-None-Match, X-Request-Id")
		h.Set("Access-Control-Max-Age", "600")
	}
	a.WriteHeader(http.StatusNoContent)
}

// knownMethod keeps methods that a client invented out of the log.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "other"
}

// answerPanic answers a request whose handler panicked. The client gets only the request id.
func (s *server) answerPanic(a *answer, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.log.Error("panic", "request_id", a.id, "route", a.route, "panic", panics.Describe(p))
	if a.status != 0 {
		a.aborted = true // part of another answer is written, so the connection must be closed
		return
	}
	a.refuse(api.Refuse(api.InternalError))
}

// logLine logs a request, without its URL, query and token. It passes the record to the
// handler itself, because a Logger would look up the line of code that calls it.
func (s *server) logLine(a *answer, at time.Time) {
	level := slog.LevelInfo
	if a.cause != nil {
		level = slog.LevelError
	}
	if handler := s.log.Handler(); handler.Enabled(context.Background(), level) {
		r := slog.NewRecord(at, level, "request", 0)
		r.AddAttrs(slog.String("request_id", a.id), slog.String("method", a.method), slog.String("route", a.route), slog.Int("status", a.status),
			slog.Int64("bytes", a.bytes), slog.Int64("took_us", a.took.Microseconds()))
		if a.tenant != "" {
			r.AddAttrs(slog.String("tenant", a.tenant))
		}
		if a.code != "" {
			r.AddAttrs(slog.String("code", string(a.code)))
		}
		if a.cause != nil {
			r.AddAttrs(slog.Any("err", a.cause))
		}
		handler.Handle(context.Background(), r) // as a Logger does, without looking at the error
	}
	if a.aborted {
		panic(http.ErrAbortHandler)
	}
}
