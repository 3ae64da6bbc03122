package realtime

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mkt/internal/deadline"
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
	tenants map[string]*tenant // those with connections, by client id
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
// changed. The loss of a right must take effect within two seconds of the edit, and reading
// the edit takes a part of them.
const checksPerTick = 4

// Run ticks until ctx ends.
func (s *Service) Run(ctx context.Context) {
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

// Published is called when the library has loaded a publication of an account. It is pushed
// now, in an additional tick of the account, unless there was a push less than a tick ago:
// the next tick is soon then. Published does not wait for the push.
func (s *Service) Published(clientID string) {
	s.mu.Lock()
	t := s.tenants[clientID]
	s.mu.Unlock()
	if t == nil {
		return
	}
	go func() {
		t.serving.Lock()
		defer t.serving.Unlock()
		if t.lastPush == 0 || deadline.Elapsed()-t.lastPush >= s.o.Tick {
			s.visit(t, s.o.Gate.Accounts.Load(), (*connection).serve)
		}
	}()
}

func (s *Service) everyTenant(g *account.Generation, do func(*connection, *round)) {
	s.mu.Lock()
	list := make([]*tenant, 0, len(s.tenants))
	for _, t := range s.tenants {
		list = append(list, t)
	}
	s.mu.Unlock()
	for _, t := range list {
		t.serving.Lock()
		s.visit(t, g, do)
		t.serving.Unlock()
	}
}

// visit does something with each connection of an account, whose lock serving is held.
func (s *Service) visit(t *tenant, g *account.Generation, do func(*connection, *round)) {
	t.forget()
	r := s.newRound(t, g)
	defer r.release()
	for _, c := range t.members() {
		do(c, r)
	}
	if r.pushed {
		t.lastPush = deadline.Elapsed()
	}
}
