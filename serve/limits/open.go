package limits

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/sony/gobreaker/v2"

	"mkt/internal/cluster"
)

// Open returns counters, and announces this replica. It does not fail if the server does
// not answer. Run must be called.
func Open(a cluster.Address, o Options) *Shared {
	budget := cmp.Or(o.Budget, CommandTime)
	s := &Shared{address: a, client: cluster.NewClient(a, budget, o.Dial), budget: budget, now: o.Now, log: o.Log, observe: o.Observe, every: cmp.Or(o.beat, beatEvery),
		replica: o.Replica + "/" + rand.Text()[:8]}
	if s.observe == nil {
		s.observe = func(cluster.Outcome, time.Duration) {}
	}
	s.replicas.Store(1)
	s.breaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:       s.every / 2, // so that each announcement tries again
		ReadyToTrip:   func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= breakAfter },
		IsExcluded:    func(err error) bool { return errors.Is(err, errGivenUp) },
		OnStateChange: func(_ string, from, to gobreaker.State) { s.changed(from, to) },
	})
	for range breakAfter { // so that it is known at once whether the server answers
		if s.beat(context.Background()) == nil {
			break
		}
	}
	return s
}

// Run announces this replica and refreshes its sockets until ctx ends. Then it withdraws
// the announcement and closes the connections.
func (s *Shared) Run(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.withdraw()
			return
		case <-tick.C:
			_ = s.beat(ctx) // a failure is counted, and logged by changed
		}
	}
}

func (s *Shared) beat(ctx context.Context) error {
	if err := s.announce(ctx); err != nil {
		return err
	}
	if s.beats++; s.beats%refreshed == 1 {
		s.refresh(ctx)
	}
	return nil
}

func (s *Shared) withdraw() {
	_ = s.ask(context.Background(), func(ctx context.Context) error {
		_, err := s.client.Do(ctx, "ZREM", replicasKey(s.address), s.replica)
		return err
	})
	s.client.Close()
}
