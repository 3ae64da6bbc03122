// Package system runs a cluster of mkt on one machine: an object store, NATS, an emulated
// provider with invented accounts, workers, and replicas behind a proxy, each process of mkt
// with a data root of its own.
package system

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mkt/cluster/servers"
)

// Options describe the cluster.
type Options struct {
	Dir      string // for all files; it may hold those of an earlier run
	MKT      string // the program
	Listen   string // address of the proxy; empty takes a free port
	Accounts int
	Workers  int
	Replicas int
	InPlay   int // matches in play of each account
	Fixtures int // announced fixtures of each account
	// Markets is the time between the market cycles of an account; 0: it has only live
	// intelligence, whose cycles run every 8 seconds.
	Markets time.Duration
	Say     func(format string, args ...any) // gets progress messages; may be nil
}

// System is a running cluster.
type System struct {
	Options
	Store     *servers.Store
	Counter   *servers.Proxy // in front of the store
	NATS      *servers.NATS
	Balancer  *servers.Balancer
	Simulator *Process
	Workers   []*Process
	Replicas  []*Process
	Accounts  []Account
}

// Account is an invented account.
type Account struct{ ID, Token string }

// Start starts everything and returns when every account is served. After an error it stops
// everything again.
func Start(ctx context.Context, o Options) (_ *System, err error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	s := &System{Options: o}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if err := s.engines(ctx); err != nil {
		return nil, err
	}
	if s.Accounts, err = s.enrol(ctx); err != nil {
		return nil, err
	}
	o.Say("%d workers and %d replicas start", o.Workers, o.Replicas)
	for i := range o.Workers {
		p := s.process("schedule", fmt.Sprintf("worker-%d", i+1), "--admin", "127.0.0.1:0")
		s.Workers = append(s.Workers, p)
		if err := p.Start(ctx); err != nil {
			return nil, err
		}
	}
	for i := range o.Replicas {
		p := s.process("serve", fmt.Sprintf("replica-%d", i+1), "--admin", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1")
		s.Replicas = append(s.Replicas, p)
		if err := p.Start(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.Balance(); err != nil {
		return nil, err
	}
	o.Say("waiting for the first cycles: new NATS servers give out no lease for 13 s, because a lease lost by NATS may still be in force")
	return s, s.awaitAccounts(ctx)
}

// engines starts the store, NATS, the proxies and the provider.
func (s *System) engines(ctx context.Context) (err error) {
	s.Say("the store, NATS and the provider start")
	if s.Store, err = servers.StartStore(filepath.Join(s.Dir, "store")); err != nil {
		return err
	}
	if s.Counter, err = servers.StartProxy(s.Store.Address); err != nil {
		return err
	}
	if s.NATS, err = servers.StartNATS(3, filepath.Join(s.Dir, "nats")); err != nil {
		return err
	}
	if s.Balancer, err = servers.StartBalancer(cmp.Or(s.Listen, "127.0.0.1:0")); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "mkt.yaml")); err != nil {
		if _, err := s.Run(ctx, "init", s.Dir); err != nil {
			return err
		}
	}
	if err := s.configure(); err != nil {
		return err
	}
	s.Simulator = s.process("simulate", "", "--listen", "127.0.0.1:0", "--fixtures", strconv.Itoa(s.Fixtures), "--in-play", strconv.Itoa(s.InPlay), "--quota", "100000000")
	return s.Simulator.Start(ctx)
}

// configure writes the addresses of the store and of NATS into mkt.yaml, which all commands read.
func (s *System) configure() error {
	file := filepath.Join(s.Dir, "mkt.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "store:") || strings.HasPrefix(line, "work:")
	})
	lines = append([]string{"store: " + strconv.Quote(s.Counter.URL("")), "work: " + s.NATS.URL()}, lines...)
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600)
}

// awaitAccounts waits until every account is served through the balancer.
func (s *System) awaitAccounts(ctx context.Context) error {
	paths := []string{"/api/v1/live?limit=1"}
	if s.Markets > 0 {
		paths = append(paths, "/api/v1/fixtures?limit=1")
	}
	for _, a := range s.Accounts {
		for _, path := range paths {
			if err := s.await(ctx, a, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *System) await(ctx context.Context, a Account, path string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("%s of %s is not served; see the logs in %s", path, a.ID, s.Dir))
	defer cancel()
	for {
		if s.answers(ctx, a, path) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *System) answers(ctx context.Context, a Account, path string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Balancer.URL()+path, nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}

// Balance gives the balancer the addresses of the replicas. It is called again after one has
// restarted.
func (s *System) Balance() error {
	var urls []string
	for _, p := range s.Replicas {
		urls = append(urls, p.Ready.BaseURL)
	}
	return s.Balancer.Set(urls...)
}

// Processes returns all processes of mkt.
func (s *System) Processes() []*Process {
	all := slices.Concat(s.Replicas, s.Workers)
	if s.Simulator != nil {
		all = append(all, s.Simulator)
	}
	return all
}

// Stop stops everything. Servers needed by others end last.
func (s *System) Stop() {
	for _, p := range s.Processes() {
		if p.cmd != nil {
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	for _, p := range s.Processes() {
		if p.cmd != nil {
			<-p.exited
		}
	}
	if s.Balancer != nil {
		s.Balancer.Stop()
	}
	if s.NATS != nil {
		s.NATS.Close()
	}
	if s.Counter != nil {
		s.Counter.Stop()
	}
	if s.Store != nil {
		s.Store.Stop()
	}
}

// Run runs a command of mkt to its end, in the folder of mkt.yaml, and returns its output.
func (s *System) Run(ctx context.Context, args ...string) ([]byte, error) {
	var problem bytes.Buffer
	cmd := exec.CommandContext(ctx, s.MKT, args...)
	cmd.Dir, cmd.Stderr, cmd.Env = s.Dir, &problem, append(os.Environ(), s.Store.Env()...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mkt %s: %w: %s", strings.Join(args[:min(len(args), 2)], " "), err, bytes.TrimSpace(problem.Bytes()))
	}
	return out, nil
}
