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

// Service is every connection there is, by account. It is the socketio.Handler of
// the main namespace. Safe for concurrent use.
type Service struct {
	o        Options
	log      *slog.Logger
	offered  [numChannels]bool
	counters counters

	mu      sync.Mutex
	tenants map[string]*tenant // those with connections, by client id
}

// New makes a service. Run drives it.
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

// looks is how many times in a tick it is looked whether the accounts have
// changed: losing a right must take effect within two seconds of the edit, of
// which reading the edit takes a part.
const looks = 4

// behind is how long after the library's looks for news the ticks come, where the
// tick is a multiple of its poll and both are run at once: what a look has found is
// loaded by then and pushed, and does not wait for the next tick.
const behind = 100 * time.Millisecond

// Run ticks until ctx ends.
func (s *Service) Run(ctx context.Context) {
	time.Sleep(min(behind, s.o.Tick/looks))
	tick := time.NewTicker(max(s.o.Tick/looks, time.Millisecond))
	defer tick.Stop()
	judged := s.o.Gate.Accounts.Load()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		g := s.o.Gate.Accounts.Load()
		switch {
		case n%looks == 0:
			s.everyTenant(g, (*connection).serve)
		case g != judged:
			s.everyTenant(g, (*connection).judge)
		}
		judged = g
	}
}

// everyTenant takes one round over all tenants.
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
