package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"mkt/publish/durable"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
)

// Options of a server. Zero fields have the defaults that they name.
type Options struct {
	Listen   string // address; port 0 takes a free one
	DataDir  string // the data root; nothing is written there but UsageDir's default
	CacheDir string // private folder for the engine's files; "" = a temporary one
	UsageDir string // where usage counters are kept; "" = usage below DataDir

	Accounts *account.Registry
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = none
	Poll     time.Duration    // how often new snapshots are looked for, live ones twice as often; 0 = a second
	Version  string           // of the binary
	Service  Service          // how the service presents itself in /status

	// Ready is called once, with the base URL, when requests are accepted and what
	// was published has been loaded (or ten seconds have passed). May be nil.
	Ready func(baseURL string)
}

// Service is what /status says of the service.
type Service struct {
	Name         string // "" = Football Markets and Live Intelligence Service
	SupportEmail string // "" = support@localhost
}

// Timeouts and bounds of the edge.
const (
	readHeaderTime = 5 * time.Second
	readTime       = 10 * time.Second
	writeTime      = 30 * time.Second
	idleTime       = 90 * time.Second
	headerRoom     = 64 << 10 // what net/http reads; what is accepted is less
	loadPatience   = 10 * time.Second
	drainNotice    = 250 * time.Millisecond // 503 on kept connections before they are closed
	drainTime      = 28 * time.Second
)

// Run serves until ctx ends, then lets requests under way finish, for at most
// half a minute. New requests are told SERVICE_UNAVAILABLE meanwhile.
func Run(ctx context.Context, o Options) (err error) {
	if o.Accounts == nil || o.DataDir == "" {
		return errors.New("serve: Accounts and DataDir are needed")
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	s, err := newServer(&o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.close()) }()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() { s.library.Run(background); close(done) }()
	flushed := make(chan struct{})
	go func() { s.usage.Run(background); close(flushed) }()
	err = s.listen(ctx, listener, o.Ready)
	stop()
	<-done
	<-flushed
	return err
}

// listen accepts requests until ctx ends, then drains.
func (s *server) listen(ctx context.Context, l net.Listener, ready func(string)) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: readHeaderTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerRoom, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(plainListener{l}) }()
	if ready != nil {
		select {
		case <-s.library.Loaded():
		case <-time.After(loadPatience):
		case <-ctx.Done():
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		}
		ready(baseURL(l.Addr()))
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	time.Sleep(drainNotice)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := h.Shutdown(patience); err != nil {
		return fmt.Errorf("serve: requests were still under way after %v: %w", drainTime, errors.Join(err, h.Close()))
	}
	return nil
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

// newServer opens what the server needs; close frees it.
func newServer(o *Options) (*server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{log: o.Log, now: o.Now, accounts: o.Accounts, service: describe(o.Service)}
	s.gate = &gate.Gate{Accounts: o.Accounts, Limits: new(gate.Limits), Now: o.Now}
	cache := o.CacheDir
	if cache == "" {
		dir, err := os.MkdirTemp("", "mkt-serve-")
		if err != nil {
			return nil, fmt.Errorf("serve: %w", err)
		}
		cache, s.temporary = dir, dir
	}
	library, err := reader.Open(reader.Options{
		DataDir: o.DataDir, CacheDir: cache, Clients: s.clients, Products: account.Products(),
		Poll: o.Poll, Workers: max(1, runtime.GOMAXPROCS(0)/2), Now: o.Now, Log: o.Log,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("serve: cache folder: %w", err), s.removeTemporary())
	}
	s.library = library
	if s.schema, err = api.Document(api.NewSchema()); err != nil {
		return nil, errors.Join(fmt.Errorf("serve: %w", err), s.close())
	}
	s.usage = gate.NewUsage(s.openUsage(o), o.Now, o.Log)
	s.routes()
	return s, nil
}

// openUsage opens the folder of the usage counters. Without one the counters
// live in memory only: they are telemetry, and no reason not to serve.
func (s *server) openUsage(o *Options) durable.FS {
	dir := o.UsageDir
	if dir == "" {
		dir = filepath.Join(o.DataDir, "usage")
	}
	disk, err := durable.OpenRoot(dir)
	if err != nil {
		s.log.Warn("usage counters will not survive a restart", "err", err)
		return nil
	}
	s.usageDisk = disk
	return disk
}

func (s *server) close() error {
	err := s.library.Close()
	if s.usageDisk != nil {
		err = errors.Join(err, s.usageDisk.Close())
	}
	return errors.Join(err, s.removeTemporary())
}

func (s *server) removeTemporary() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// clients lists the tenants whose data and connection are kept at hand: all that
// may come back.
func (s *server) clients() []string {
	var ids []string
	for _, a := range s.accounts.Load().Accounts() {
		if a.Status != account.Revoked && (len(a.Subscriptions) > 0 || a.Provider.Configured) {
			ids = append(ids, a.ClientID)
		}
	}
	return ids
}

// Check loads the snapshot in a folder with the settings of serving, and throws
// the result away. nil means that a server will be able to load it. Run it in a
// child process: what brings the engine down brings the process down.
func Check(ctx context.Context, dir string) error { return reader.Check(ctx, dir, "") }
