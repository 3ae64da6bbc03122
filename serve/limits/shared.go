package limits

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"mkt/internal/cluster"
	"mkt/serve/internal/gate"
)

// CommandTime is the budget of a command: a request waits for at most this time.
const CommandTime = 50 * time.Millisecond

const (
	beatEvery  = time.Second      // between announcements
	deadAfter  = 10 * time.Second // without an announcement, a replica counts as dead and its sockets expire
	refreshed  = 3                // beats between two refreshes of the sockets
	breakAfter = 5                // failures in a row
)

// Options are the options of the shared counters.
type Options struct {
	Replica string // the name of this replica
	Now     func() time.Time
	Log     *slog.Logger
	// Observe is called after each command; nil = nothing.
	Observe func(cluster.Outcome, time.Duration)

	Dial   cluster.Dialer // nil = over the network
	Budget time.Duration  // for a command; 0 = CommandTime
	beat   time.Duration  // between announcements; 0 = beatEvery. For tests
}

// Shared counts over all replicas. It is a gate.Limiter and a gate.Sockets. Safe for
// concurrent use.
type Shared struct {
	address cluster.Address
	client  *cluster.Client
	breaker *gobreaker.CircuitBreaker[struct{}]
	now     func() time.Time
	log     *slog.Logger
	observe func(cluster.Outcome, time.Duration)
	budget  time.Duration // for a command
	every   time.Duration // between announcements

	replica  string // as it is announced: the name, and an id of this process
	replicas atomic.Int64
	fewer    int // beats during which fewer replicas were alive
	twins    int // beats during which another process had the same name
	failure  atomic.Pointer[error]
	beats    int

	share   gate.TokenBuckets // while the server does not answer
	empty   sync.Map          // client id → *emptied
	sockets gate.OpenSockets  // of this process
	alone   atomic.Uint64     // decisions by the share
}

var (
	_ gate.Limiter = (*Shared)(nil)
	_ gate.Sockets = (*Shared)(nil)
)

func replicasKey(a cluster.Address) string           { return a.Key("replicas") }
func socketsKey(a cluster.Address, id string) string { return a.Key("sockets", id) }

func rateKey(a cluster.Address, id string) string {
	if id == "" {
		return a.Key("rate")
	}
	return a.Key("rate", id)
}

var (
	errAway    = errors.New("the server does not answer")
	errGivenUp = errors.New("the request has ended")
)

// ask sends a command, unless the server is known not to answer.
func (s *Shared) ask(ctx context.Context, command func(context.Context) error) error {
	if s.breaker.State() != gobreaker.StateClosed {
		return errAway
	}
	return s.send(ctx, command)
}

// send sends a command through the breaker.
func (s *Shared) send(ctx context.Context, command func(context.Context) error) error {
	_, err := s.breaker.Execute(func() (none struct{}, err error) {
		began := s.now()
		within, cancel := context.WithTimeout(ctx, s.budget)
		defer cancel()
		if err = command(within); err != nil && ctx.Err() != nil {
			return none, errGivenUp
		}
		s.observe(cluster.OutcomeOf(err), s.now().Sub(began))
		if err != nil {
			s.failure.Store(&err)
		}
		return none, err
	})
	return err
}

// changed logs the change from exact limits to shares, or back.
func (s *Shared) changed(from, to gobreaker.State) {
	switch {
	case to == gobreaker.StateClosed:
		s.log.Info("Redis answers again: limits are exact over all replicas", "redis", s.address.String(), "replicas", s.replicas.Load())
	case from == gobreaker.StateClosed:
		s.log.Warn("Redis does not answer: this replica allows its share of each limit; see mkt doctor",
			"redis", s.address.String(), "replicas", s.replicas.Load(), "reason", string(cluster.OutcomeOf(*s.failure.Load())))
	}
}

// Stats is the state of the counters.
type Stats struct {
	Exact    bool   // the server answers
	Replicas int    // alive when it last did
	Shares   uint64 // decisions by the share of this replica
}

// Stats returns the current state.
func (s *Shared) Stats() Stats {
	return Stats{s.breaker.State() == gobreaker.StateClosed, int(s.replicas.Load()), s.alone.Load()}
}
