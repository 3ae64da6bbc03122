package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"mkt/internal/cluster"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/admin"
	"mkt/serve/clock"
	"mkt/serve/internal/metrics"
	"mkt/serve/internal/reader"
)

// Default folders that the server writes to: [UsageFolder] below the data root for the
// usage counters, and [LoadsFolder] below that for notes about loads in progress (package
// quarantine).
const (
	UsageFolder = "usage"
	LoadsFolder = "loads"
)

// Options of a server. A zero field has the default that its comment names.
type Options struct {
	Listen   string // address; port 0 means a free port
	DataDir  string // the data root; nothing is written there except UsageDir's default
	CacheDir string // private folder for the engine's files; "" = a temporary one
	UsageDir string // the folder for everything that the server writes: usage counters, notes about loads; "" = usage below DataDir

	// Replica is the name of this process among those that serve the same accounts: each writes
	// its own files of usage counters. "" = the host's name and the port.
	Replica string
	Limits  cluster.Address // the server that counts requests and sockets over all replicas; zero = they are counted in this process

	// Clock, if it shows the past, answers as of its time: from the publications up to then. The
	// server then listens on loopback only and does not count usage. Accounts are the
	// current ones, with their terms as of then. nil = the present.
	Clock  *clock.Clock
	Replay Replay // how a clock of the past moves

	// Fetch copies publications from elsewhere to the data root, for a client that may have
	// seen them at another replica; nil if everything is published to the data root.
	Fetch func(ctx context.Context, clientID string, p football.Product) error

	// Extensions are those of [account.Extensions] that are offered to the accounts that have them.
	Extensions []string

	Accounts *account.Registry
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = none
	Poll     time.Duration    // interval of looking for new snapshots, half of that for live ones; 0 = a second
	Service  Service          // description of the service in /status
	Words    Words            // of the providers, for /schema
	Admin    *admin.Server    // shows metrics and readiness; the caller must close it; nil = none
	Realtime Realtime

	Connections           int            // maximum; 0 = 40,000, or fewer if the process may not open as many files
	ConnectionsPerAddress int            // maximum of one address; 0 = three quarters of Connections
	TrustedProxies        []netip.Prefix // whose X-Forwarded-For is trusted, and which are not limited as one address

	// DrainDelay is how long requests are still answered normally after ctx has ended and
	// Admin reports that the server is not ready: as long as a load balancer needs to
	// notice. It is part of the half minute that a shutdown may take; 0 = none.
	DrainDelay time.Duration

	readTime     time.Duration // of a request's body; 0 = 10 s. For tests
	limitsBudget time.Duration // of a command to the server of the limits; 0 = limits.CommandTime. For tests

	// Ready, if not nil, is called once with the base URL when requests are accepted and
	// everything published has been loaded (or ten seconds have passed).
	Ready func(baseURL string)
}

// Service is the description of the service in /status.
type Service struct {
	Name         string // "" = Football Markets and Live Intelligence Service
	SupportEmail string // "" = support@localhost
}

// Words are the providers' own words, which appear unchanged in answers: see the fields
// with the same names in /schema.
type Words struct {
	Sections        []string
	ProviderMetrics []string
}

const (
	readHeaderTime = 5 * time.Second
	readTime       = 10 * time.Second // of a request's body
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
	o.readTime = cmp.Or(o.readTime, readTime)
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

// ErrNotLoopback reports that the past would be served on an address that other machines
// can reach.
var ErrNotLoopback = errors.New("past data is served on a loopback address only, such as 127.0.0.1")

func (o *Options) isPast() bool { return o.Clock != nil && o.Clock.IsPast() }

func (o *Options) checkLoopback(a net.Addr) error {
	if tcp, ok := a.(*net.TCPAddr); o.isPast() && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("serve: %s: %w", a, ErrNotLoopback)
	}
	return nil
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
	if err := s.prepareReplay(ctx); err != nil {
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
	var replay sync.WaitGroup
	defer replay.Wait()
	defer stop()
	replay.Go(func() { s.replay(replaying, o.Replay) })
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
