package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"mkt/internal/listen"
	"mkt/internal/panics"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/response"
)

const allowed = "GET, OPTIONS"

// ServeHTTP is the outermost handler: request id, panics, log, and the refusals before
// routing.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{server: s, Writer: response.Writer{ResponseWriter: w, ID: response.RequestID(r), Began: s.now(), Method: knownMethod(r.Method)}}
	a := &c.Writer
	began := s.real()
	defer func() {
		if p := recover(); p != nil {
			s.answerPanic(a, p)
		}
		ended := s.real()
		a.Took = ended.Sub(began)
		s.metrics.Count(a, c.traffic)
		s.keepRequest(c, ended)
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
		a.Shed = response.ShedDraining
		a.ShareWith(gate.Origin(r.Header))
		a.Refuse(&api.Error{Code: api.ServiceUnavailable, RetryAfter: 2 * time.Second})
	case s.inFlight.Load() > maxInFlight:
		a.Shed = response.ShedCrowded
		a.Refuse(&api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second})
	case r.Method != http.MethodGet:
		a.Header().Set("Allow", allowed)
		a.Refuse(api.Refuse(api.MethodNotAllowed))
	default:
		normalizePath(r.URL)
		if r.ContentLength != 0 {
			c.body = discardBody(a, r)
		}
		s.echo.ServeHTTP(c, r)
	}
}

// preflight answers OPTIONS, for any path and without a token. Every origin may ask; the
// account's list is checked in the actual request.
func preflight(a *response.Writer, r *http.Request) {
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
func (s *server) answerPanic(a *response.Writer, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.log.Error("panic", "request_id", a.ID, "route", a.Route, "panic", panics.Describe(p))
	if a.Status != 0 {
		a.Aborted = true // part of another answer is written, so the connection must be closed
		return
	}
	a.Refuse(api.Refuse(api.InternalError))
}

// logLine logs a request, without its URL, query and token. It passes the record to the
// handler itself, because a Logger would look up the line of code that calls it.
func (s *server) logLine(a *response.Writer, at time.Time) {
	level := slog.LevelInfo
	if a.Cause != nil {
		level = slog.LevelError
	}
	if handler := s.log.Handler(); handler.Enabled(context.Background(), level) {
		r := slog.NewRecord(at, level, "request", 0)
		r.AddAttrs(slog.String("request_id", a.ID), slog.String("method", a.Method), slog.String("route", a.Route), slog.Int("status", a.Status),
			slog.Int64("bytes", a.Bytes), slog.Int64("took_us", a.Took.Microseconds()))
		if a.Tenant != "" {
			r.AddAttrs(slog.String("tenant", a.Tenant))
		}
		if a.Code != "" {
			r.AddAttrs(slog.String("code", string(a.Code)))
		}
		if a.Cause != nil {
			r.AddAttrs(slog.Any("err", a.Cause))
		}
		handler.Handle(context.Background(), r) // as a Logger does, without looking at the error
	}
	if a.Aborted {
		panic(http.ErrAbortHandler)
	}
}
