package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"mkt/serve/internal/metrics"
	"mkt/serve/internal/reader"
	"mkt/serve/replay"
)

const (
	readHeaderTime = 5 * time.Second
	bodyTime       = 10 * time.Second // of a request's body
	writeTime      = 30 * time.Second
	idleTime       = 90 * time.Second
	maxHeaderBytes = 64 << 10 // for net/http; the accepted size is smaller
	loadTimeout    = 10 * time.Second
	drainNotice    = 250 * time.Millisecond // in which kept connections get 503 before they are closed
	drainTime      = 28 * time.Second
)

// Run serves until ctx ends. Then it finishes the requests in progress and closes the
// sockets one by one, in at most half a minute. After the DrainDelay, new requests are
// answered with SERVICE_UNAVAILABLE.
func Run(ctx context.Context, o Options) (err error) {
	o.readTime = cmp.Or(o.readTime, bodyTime)
	if o.Accounts == nil || o.DataDir == "" {
		return errors.New("serve: Options.Accounts and Options.DataDir are required")
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := o.checkLoopback(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	s, err := newServer(&o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.connections = s.bounded(listener, &o)
	if o.Admin != nil {
		o.Admin.Metrics.MustRegister(s.metrics.Collectors(metrics.Sources{
			Accounts: s.accounts, Library: s.library, Connections: s.connections, Realtime: s.realtime, Sockets: s.sockets,
			Limits: s.limits, InFlight: &s.inFlight, Now: s.now,
		})...)
		o.Admin.ReadyWhen(s.readiness)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	runs := []func(context.Context){s.library.Run, s.usage.Run, s.realtime.Run}
	if s.requests != nil {
		runs = append(runs, s.requests.Run)
	}
	if s.limits != nil {
		runs = append(runs, s.limits.Run)
	}
	for _, run := range runs {
		running.Go(func() { run(background) })
	}
	err = s.listen(ctx, o)
	stop()
	running.Wait()
	return err
}

func (s *server) listen(ctx context.Context, o Options) error {
	// There is no ReadTimeout: it would end the contexts of requests that are being
	// answered, and of all later ones on the same connection. listen.BoundBody limits the body.
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: readHeaderTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ConnState: s.connections.ConnState, ConnContext: s.connContext,
		MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(s.connections) }()
	past := replay.Replay{Clock: s.clock, Library: s.library}
	if err := past.Prepare(ctx); err != nil {
		return errors.Join(err, h.Close())
	}
	s.prepared.Store(true)
	if o.Ready != nil {
		select {
		case <-s.library.Loaded():
		case <-time.After(loadTimeout):
		case <-ctx.Done():
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		}
		if ctx.Err() == nil {
			o.Ready(baseURL(s.connections.Addr()))
		}
	}
	replaying, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { past.Run(replaying, o.Replay) })
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.leaving.Store(true)
	drainCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	time.Sleep(o.DrainDelay)
	s.draining.Store(true)
	sockets := s.closeSockets(drainCtx)
	time.Sleep(drainNotice)
	if err := h.Shutdown(drainCtx); err != nil { // requests take less time, so the rest are clients that do not read their answers
		s.log.Warn("connections are closed in the middle of their answers", "connections", s.connections.Stats().Open, "after", drainTime)
		if err := h.Close(); err != nil {
			return fmt.Errorf("serve: %w", err)
		}
	}
	if err := <-sockets; err != nil {
		return fmt.Errorf("serve: sockets were still open after %v: %w", drainTime, err)
	}
	return nil
}

var (
	errLoading  = errors.New("starting: published snapshots are being loaded")
	errDraining = errors.New("draining: requests in progress are being finished")
	errNoData   = errors.New("no data: this replica has accounts, and no publication of any of them; mkt doctor says whether the object store lost them, or nothing was published yet")
)

func (s *server) readiness() error {
	if s.leaving.Load() {
		return errDraining
	}
	select {
	case <-s.library.Loaded():
	default:
		return errLoading
	}
	if !s.prepared.Load() {
		return errLoading
	}
	if s.replicates && len(s.clients()) > 0 && !s.library.Serves() {
		return errNoData
	}
	return nil
}

func baseURL(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return "http://" + a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Check loads the snapshot in a folder with the settings that the server uses, and
// discards the result. If it returns nil, a server can load the snapshot. It should run
// in a child process, because a crash of the engine would end the process.
func Check(ctx context.Context, dir string) error { return reader.Check(ctx, dir) }
