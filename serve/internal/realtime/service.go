package realtime

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// Service has all connections, by account. It is the socketio.Handler of the main
// namespace. Safe for concurrent use.
type Service struct {
	o        Options
	log      *slog.Logger
	offered  [numChannels]bool
	counters counters

	mu      sync.Mutex
	tenants map[string]*tenant // those that have connections, by client id
}

// New returns a service. Run drives it.
func New(o Options) *Service {
	o.Tick = cmp.Or(o.Tick, defaultTick)
	o.Connections = cmp.Or(o.Connections, defaultConnections)
	if o.Channels == nil {
		o.Channels = api.Channels()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{o: o, log: o.Log, tenants: map[string]*tenant{}}
	for i := range channels {
		s.offered[i] = slices.Contains(o.Channels, channels[i].name)
	}
	return s
}

// checksPerTick is how often in a tick the service checks whether the accounts have
// changed. A right that is lost must take effect within two seconds of the edit, of
// which reading the edit takes a part.
const checksPerTick = 4

// tickDelay is the time by which the ticks follow the refreshes of the library, if the
// tick is a multiple of its poll interval and both start together: a new snapshot is
// then loaded and is pushed in the same tick and not in the next one.
const tickDelay = 100 * time.Millisecond

// Run ticks until ctx ends.
func (s *Service) Run(ctx context.Context) {
	time.Sleep(min(tickDelay, s.o.Tick/checksPerTick))
	tick := time.NewTicker(max(s.o.Tick/checksPerTick, time.Millisecond))
	defer tick.Stop()
	checked := s.o.Gate.Accounts.Load()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		g := s.o.Gate.Accounts.Load()
		switch {
		case n%checksPerTick == 0:
			s.everyTenant(g, (*connection).serve)
		case g != checked:
			s.everyTenant(g, (*connection).check)
		}
		checked = g
	}
}

func (s *Service) everyTenant(g *account.Generation, do func(*connection, *round)) {
	s.mu.Lock()
	list := make([]*tenant, 0, len(s.tenants))
	for _, t := range s.tenants {
		list = append(list, t)
	}
	s.mu.Unlock()
	for _, t := range list {
		s.oneTenant(t, g, do)
	}
}

func (s *Service) oneTenant(t *tenant, g *account.Generation, do func(*connection, *round)) {
	t.forget()
	r := s.newRound(t, g)
	defer r.release()
	for _, c := range t.members() {
		do(c, r)
	}
}
