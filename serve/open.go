package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"mkt/publish/durable"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
)

// newServer opens what the server needs; close frees it.
func newServer(o *Options) (*server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{log: o.Log, now: o.Now, accounts: o.Accounts, service: describe(o.Service), readTime: o.readTime}
	if !o.AsOf.IsZero() {
		s.now = func() time.Time { return o.AsOf }
	}
	s.gate = &gate.Gate{Accounts: o.Accounts, Limiter: new(gate.TokenBuckets), Now: o.Now, Terms: s.now}
	library, err := reader.Open(reader.Options{
		DataDir: o.DataDir, CacheDir: o.CacheDir, NotesDir: o.notesDir(), Clients: s.clients, Products: account.Products(),
		Poll: o.Poll, Workers: max(1, runtime.GOMAXPROCS(0)/2), AsOf: o.AsOf, Now: o.Now, Log: o.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("serve: cache folder: %w", err)
	}
	s.library = library
	if s.schema, err = api.Document(api.NewSchema(o.Words.Sections, o.Words.ProviderMetrics)); err != nil {
		return nil, errors.Join(fmt.Errorf("serve: %w", err), s.close())
	}
	s.usage = gate.NewUsage(s.openUsage(o), o.Now, o.Log)
	s.metrics = newMetrics(s)
	s.openRealtime(o)
	s.routes()
	return s, nil
}

// openUsage opens the folder of the usage counters. Without one the counters
// live in memory only: they are telemetry, and no reason not to serve.
func (s *server) openUsage(o *Options) durable.FS {
	if !o.AsOf.IsZero() {
		return nil // nobody's requests of today belong to the past
	}
	disk, err := durable.OpenRoot(o.usageDir())
	if err != nil {
		s.log.Warn("usage counters will not survive a restart", "err", err)
		return nil
	}
	s.usageDisk = disk
	return disk
}

// usageDir is where the server writes.
func (o *Options) usageDir() string { return cmp.Or(o.UsageDir, filepath.Join(o.DataDir, UsageFolder)) }

// notesDir is where notes of loads are made; "" when nothing is to be written. A
// view of the past notes nothing: who looks at it is not the service.
func (o *Options) notesDir() string {
	if !o.AsOf.IsZero() {
		return ""
	}
	return filepath.Join(o.usageDir(), LoadsFolder)
}

func (s *server) close() error {
	err := s.library.Close()
	if s.usageDisk != nil {
		err = errors.Join(err, s.usageDisk.Close())
	}
	return err
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
