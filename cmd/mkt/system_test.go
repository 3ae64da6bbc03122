package main

import (
	"context"
	"io"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/cmd/mkt/internal/cli/serving"
	"mkt/internal/accounts"
	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/serve/account"
)

// system is the whole system in one process and in simulated time: a test adds accounts, runs their
// cycles, and sends requests to the API.
type system struct {
	*testing.T
	*demo.Group
	clock *demo.Clock
	now   time.Time // when the next cycle runs
	url   string    // of the API
}

func newSystem(t *testing.T, begins time.Time) *system {
	t.Helper()
	s := &system{T: t, now: begins, Group: demo.NewGroup(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version))}
	s.must(s.MakeFiles(t.TempDir()))
	s.clock = s.SetClock(begins)
	return s
}

func (s *system) must(err error) {
	s.Helper()
	check.Must(s.T, err)
}

func (s *system) cycle(t *accounts.Tenant, p football.Product, steps ...batch.Step) error {
	s.clock.Show(s.now)
	return s.Batch.RunJob(s.Context(), s.Context(), batch.Job{Tenant: t, Product: p}, "", steps, func(batch.Report) {})
}

func (s *system) open(usage string) {
	s.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	base, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		f := serving.Flags{Listen: "127.0.0.1:0", Poll: 10 * time.Millisecond, Usage: usage, Extensions: account.Extensions()}
		ended <- s.Serving.Serve(ctx, f, func(r daemon.Ready) { base <- r.BaseURL })
	}()
	s.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
	select {
	case s.url = <-base:
	case err := <-ended:
		ended <- err
		s.Fatal("the API does not open")
	}
}
