package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mkt/internal/listen"
)

// Options of a server.
type Options struct {
	Listen  string       // address; port 0 means a free port
	Remote  bool         // Listen may be an address that other machines can reach
	Version string       // of the binary
	Log     *slog.Logger // nil = discard
}

// Server answers until it is closed. It is not ready before ReadyWhen is called.
type Server struct {
	// Metrics is the registry behind /metrics: the process and the Go runtime, and the
	// collectors registered by others. It is not the global registry.
	Metrics *prometheus.Registry

	url   string
	http  *http.Server
	done  chan error // receives the result of Serve, and is then closed
	ready atomic.Pointer[func() error]
}

// Limits of the server. A few simultaneous requests are enough, because scraping is fast.
const (
	headerTime     = 2 * time.Second
	answerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 8 << 10
	maxScrapes     = 4
	closeTime      = 2 * time.Second
	lingerTime     = time.Second // for the rest of a refused request

	connections = 64 // at once; beyond that, the longest idle one is closed for a new one
)

// Open listens and starts to answer.
func Open(o Options) (*Server, error) {
	if err := CheckAddress(o.Listen, o.Remote); err != nil {
		return nil, fmt.Errorf("admin address: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("admin address: %w", err)
	}
	s := &Server{Metrics: newRegistry(o.Version), url: "http://" + l.Addr().String(), done: make(chan error, 1)}
	log := slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn)
	bounded := listen.New(l, listen.Options{Max: connections})
	s.http = &http.Server{
		ConnState: bounded.ConnState, ConnContext: bounded.ConnContext,
		Handler: s.routes(o.Remote, log), ReadHeaderTimeout: headerTime, ReadTimeout: answerTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	go func() { s.done <- s.http.Serve(bounded); close(s.done) }()
	return s, nil
}

func newRegistry(version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "mkt_build_info", Help: "1; the version is the label.",
		ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// URL returns the URL of the server for clients on this machine.
func (s *Server) URL() string { return s.url }

// ReadyWhen sets the readiness check. It returns nil if the process does its work, or an
// error whose text is shown to everybody and must not name an account.
func (s *Server) ReadyWhen(check func() error) { s.ready.Store(&check) }

// Close stops the server. Requests in progress have two seconds to finish; it must be
// called only once.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	var err error
	if s.http.Shutdown(ctx) != nil {
		err = s.http.Close()
	}
	if served := <-s.done; served != nil && !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("admin address: %w", err)
	}
	return nil
}

type printer interface{ Println(...any) }

func (s *Server) routes(remote bool, log printer) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{
		ErrorLog: log, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { writeLine(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { writeLine(w, http.StatusOK, "/livez /readyz /metrics") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 { // net/http would wait for it
			w.Header().Set("Connection", "close")
			writeLine(w, http.StatusBadRequest, "requests to this address must not have a body")
			listen.Linger(w, r, lingerTime)
			return
		}
		if !remote && !ownName(r.Host) {
			writeLine(w, http.StatusForbidden, "this address can only be used from this machine")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := s.Ready(); err != nil {
		writeLine(w, http.StatusServiceUnavailable, "not ready: "+err.Error())
		return
	}
	writeLine(w, http.StatusOK, "ready")
}

// errStarting is the result of Ready before ReadyWhen is called.
var errStarting = errors.New("starting")

// Ready returns the verdict for /readyz: nil if the process does its work.
func (s *Server) Ready() error {
	if check := s.ready.Load(); check != nil {
		return (*check)()
	}
	return errStarting
}

func writeLine(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, line+"\n") // an error means that the client has gone
}
