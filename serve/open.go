package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/asof"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/metrics"
	"mkt/serve/internal/reader"
	"mkt/serve/limits"
	"mkt/serve/replay"
)

func newServer(o *Options) (*server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Clock == nil {
		o.Clock = asof.Real(o.Now)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{log: o.Log, clock: o.Clock, real: o.Now, accounts: o.Accounts, service: describe(o.Service), readTime: o.readTime, extensions: o.Extensions, replicates: o.Fetch != nil}
	s.now = s.clock.Now
	replay.ShowEnd(s.clock)
	s.gate = &gate.Gate{Accounts: o.Accounts, Limiter: new(gate.TokenBuckets), Now: o.Now, Terms: s.now}
	s.openSockets = new(gate.OpenSockets)
	library, err := reader.Open(reader.Options{
		DataDir: o.DataDir, CacheDir: o.CacheDir, NotesDir: o.notesDir(), Clients: s.clients, Fetch: o.Fetch, Products: football.Products(),
		Loaded: func(clientID string) { s.realtime.Published(clientID) },
		Paths:  slices.Contains(o.Extensions, account.History),
		Poll:   o.Poll, Clock: s.clock, Now: o.Now, Log: o.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("serve: cache folder: %w", err)
	}
	s.library = library
	if s.schema, err = api.Document(api.NewSchema(o.Words.Sections, o.Words.ProviderMetrics)); err != nil {
		return nil, errors.Join(fmt.Errorf("serve: %w", err), s.close())
	}
	s.usage = gate.NewUsage(s.openUsage(o), o.replica(), o.Now, o.Log)
	s.openRequests(o)
	s.metrics = metrics.New(routeNames())
	s.openLimits(o)
	s.openRealtime(o)
	s.routes()
	return s, nil
}

// openLimits makes the limits those of all replicas together. A view of the past has its own.
func (s *server) openLimits(o *Options) {
	if o.Limits.IsZero() || s.clock.IsPast() {
		return
	}
	s.limits = limits.Open(o.Limits, limits.Options{Replica: o.replica(), Now: o.Now, Log: o.Log, Observe: s.metrics.ObserveLimits(), Budget: o.limitsBudget})
	s.gate.Limiter, s.openSockets = s.limits, s.limits
}

// openUsage opens the folder of the usage counters. If that fails, the counters are kept
// in memory: they are telemetry, so the server can run without the folder.
func (s *server) openUsage(o *Options) durable.FS {
	if s.clock.IsPast() {
		return nil // requests of today are not counted in the past
	}
	disk, err := durable.OpenRoot(o.usageDir())
	if err != nil {
		s.log.Warn("usage counters will not survive a restart", "err", err)
		return nil
	}
	s.usageDisk = disk
	return disk
}

func (s *server) close() error {
	err := s.library.Close()
	if s.usage != nil {
		err = errors.Join(err, s.usage.Close())
	}
	if s.usageDisk != nil {
		err = errors.Join(err, s.usageDisk.Close())
	}
	if s.requestsDisk != nil {
		err = errors.Join(err, s.requestsDisk.Close())
	}
	return err
}

// clients returns the tenants whose data and connection are loaded, which are all those
// that are not revoked.
func (s *server) clients() []string {
	var ids []string
	for _, a := range s.accounts.Load().Accounts() {
		if a.Status != account.Revoked && (len(a.Subscriptions) > 0 || a.Provider.Configured) {
			ids = append(ids, a.ClientID)
		}
	}
	return ids
}
