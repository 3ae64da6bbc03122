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

	"mkt/serve/account"
	"mkt/serve/admin"
	"mkt/serve/internal/reader"
)

// Folders that the server writes to, by default: UsageFolder below the data root,
// with the usage counters, and in it LoadsFolder, with the notes of loads under way
// (package quarantine).
const (
	UsageFolder = "usage"
	LoadsFolder = "loads"
)

// Options of a server. Zero fields have the defaults that they name.
type Options struct {
	Listen   string // address; port 0 takes a free one
	DataDir  string // the data root; nothing is written there but UsageDir's default
	CacheDir string // private folder for the engine's files; "" = a temporary one
	UsageDir string // all that the server writes: usage counters, notes of loads; "" = usage below DataDir

	// AsOf, when not zero, answers as it was at that time: from what was published
	// by then, with a clock that stands there. It listens on loopback only and
	// counts no usage. Accounts are those of today, their terms as of then.
	AsOf time.Time

	Accounts *account.Registry
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = none
	Poll     time.Duration    // how often new snapshots are looked for, live ones twice as often; 0 = a second
	Service  Service          // how the service presents itself in /status
	Words    Words            // of the providers, for /schema
	Admin    *admin.Server    // shows metrics and readiness; the caller's to close. nil = none
	Realtime Realtime

	Connections           int            // at once; 0 = 40,000, fewer where the process may not open as many files
	ConnectionsPerAddress int            // at once of one address; 0 = three quarters of Connections
	TrustedProxies        []netip.Prefix // whose X-Forwarded-For is believed, and who are not bounded as one address

	// DrainDelay is how long requests are still answered as ever once ctx has ended
	// and Admin says that it is not ready: as long as a load balancer takes to see
	// that. It is a part of the half minute that an end may take; 0 = none.
	DrainDelay time.Duration

	readTime time.Duration // of a request's body; 0 = 10 s. For tests

	// Ready is called once, with the base URL, when requests are accepted and what
	// was published has been loaded (or ten seconds have passed). May be nil.
	Ready func(baseURL string)
}

// Service is what /status says of the service.
type Service struct {
	Name         string // "" = Football Markets and Live Intelligence Service
	SupportEmail string // "" = support@localhost
}

// Words are the providers' own, which reach answers as they are: see the fields of
// the same names in /schema.
type Words struct {
	Sections        []string
	ProviderMetrics []string
}

// Timeouts and bounds of the edge.
const (
	readHeaderTime = 5 * time.Second
	readTime       = 10 * time.Second // of a request's body
	writeTime      = 30 * time.Second
	idleTime       = 90 * time.Second
	headerRoom     = 64 << 10 // what net/http reads; what is accepted is less
	loadPatience   = 10 * time.Second
	drainNotice    = 250 * time.Millisecond // 503 on kept connections before they are closed
	drainTime      = 28 * time.Second
)

// Run serves until ctx ends, then lets requests under way finish and closes the
// sockets one by one, for at most half a minute. New requests are told
// SERVICE_UNAVAILABLE meanwhile, behind the DrainDelay.
func Run(ctx context.Context, o Options) (err error) {
	o.readTime = cmp.Or(o.readTime, readTime)
	if o.Accounts == nil || o.DataDir == "" {
		return errors.New("serve: Accounts and DataDir are needed")
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := o.past(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	s, err := newServer(&o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.connections = s.bounded(listener, &o)
	if o.Admin != nil {
		o.Admin.Metrics.MustRegister(s.collectors()...)
		o.Admin.ReadyWhen(s.readiness)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, run := range []func(context.Context){s.library.Run, s.usage.Run, s.realtime.Run} {
		running.Go(func() { run(background) })
	}
	err = s.listen(ctx, o)
	stop()
	running.Wait()
	return err
}

// ErrNotLoopback: the past is shown to whoever sits at the machine, to nobody else.
var ErrNotLoopback = errors.New("serving the past listens on a loopback address only")

// past refuses to show the past to the network.
func (o *Options) past(a net.Addr) error {
	if tcp, ok := a.(*net.TCPAddr); !o.AsOf.IsZero() && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("serve: %s: %w", a, ErrNotLoopback)
	}
	return nil
}

// listen accepts requests until ctx ends, then drains.
func (s *server) listen(ctx context.Context, o Options) error {
	// There is no ReadTimeout: it would end the contexts of requests that are being
	// answered, and of all that follow on the same connection. boundBody has its part.
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: readHeaderTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ConnState: s.connections.ConnState, ConnContext: s.connContext,
		MaxHeaderBytes: headerRoom, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(s.connections) }()
	if o.Ready != nil {
		select {
		case <-s.library.Loaded():
		case <-time.After(loadPatience):
		case <-ctx.Done():
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		}
		o.Ready(baseURL(s.connections.Addr()))
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.leaving.Store(true)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	time.Sleep(o.DrainDelay)
	s.draining.Store(true)
	sockets := s.closeSockets(patience)
	time.Sleep(drainNotice)
	if err := h.Shutdown(patience); err != nil { // ours take less: what is left are clients that do not take their answers
		s.log.Warn("connections are closed with their answers half written", "connections", s.connections.Stats().Open, "after", drainTime)
		if err := h.Close(); err != nil {
			return fmt.Errorf("serve: %w", err)
		}
	}
	if err := <-sockets; err != nil {
		return fmt.Errorf("serve: sockets were still open after %v: %w", drainTime, err)
	}
	return nil
}

// What a server that is not ready says.
var (
	errLoading  = errors.New("starting: what was published is being loaded")
	errDraining = errors.New("draining: requests under way are being finished")
)

// readiness is nil while new requests are worth sending here.
func (s *server) readiness() error {
	if s.leaving.Load() {
		return errDraining
	}
	select {
	case <-s.library.Loaded():
		return nil
	default:
		return errLoading
	}
}

// baseURL is where a client on this machine reaches the listener.
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

// Check loads the snapshot in a folder with the settings of serving, and throws
// the result away. nil means that a server will be able to load it. Run it in a
// child process: what brings the engine down brings the process down.
func Check(ctx context.Context, dir string) error { return reader.Check(ctx, dir, "") }
