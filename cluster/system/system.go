// Package system runs a cluster of mkt on one machine: an object store, Redis, an emulated
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
	// Provider returns the address of the provider under which a worker asks for an account, given
	// that of the emulated one; nil: the latter.
	Provider func(worker, account, emulated string) string
	Say      func(format string, args ...any) // gets progress messages; may be nil
}

// System is a running cluster.
type System struct {
	Options
	Store     *servers.Store
	Counter   *servers.Proxy // in front of the store
	Redis     *servers.Redis
	Balancer  *servers.Balancer
	Simulator *Process
	Workers   []*Process
	Replicas  []*Process
	Accounts  []Account
}

// Account is an invented account.
type Account struct {
	ID, Token string
	sealed    string // the credential for the provider
}

// Start starts everything and returns when every account is served, if there are replicas. After
// an error it stops everything again.
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
	if err := s.enrol(ctx); err != nil {
		return nil, err
	}
	o.Say("%d workers and %d replicas start", o.Workers, o.Replicas)
	for i := range o.Workers {
		if _, err := s.StartWorker(ctx, fmt.Sprintf("worker-%d", i+1)); err != nil {
			return nil, err
		}
	}
	for i := range o.Replicas {
		if _, err := s.StartReplica(ctx, fmt.Sprintf("replica-%d", i+1)); err != nil {
			return nil, err
		}
	}
	if o.Replicas == 0 {
		return s, nil
	}
	if err := s.Balance(); err != nil {
		return nil, err
	}
	o.Say("waiting for the first cycles: a new Redis counts the workers for 5 s before they share the accounts")
	return s, s.awaitAccounts(ctx)
}

// StartWorker starts a worker with a name that none had before.
func (s *System) StartWorker(ctx context.Context, name string) (*Process, error) {
	p := s.process("schedule", name, "--admin", "127.0.0.1:0")
	if s.Provider != nil {
		file := name + ".yaml"
		at := func(a Account) string { return s.Provider(name, a.ID, s.Simulator.Ready.BaseURL) }
		if err := s.writeAccounts(file, at); err != nil {
			return nil, err
		}
		p.args = append(p.args, "--tenants", file)
	}
	s.Workers = append(s.Workers, p)
	return p, p.Start(ctx)
}

// StartReplica starts a replica with a name that none had before.
func (s *System) StartReplica(ctx context.Context, name string) (*Process, error) {
	p := s.process("serve", name, "--admin", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1")
	s.Replicas = append(s.Replicas, p)
	return p, p.Start(ctx)
}

// engines starts the store, Redis, the proxies and the provider.
func (s *System) engines(ctx context.Context) (err error) {
	s.Say("the store, Redis and the provider start")
	if s.Store, err = servers.StartStore(filepath.Join(s.Dir, "store")); err != nil {
		return err
	}
	if s.Counter, err = servers.StartProxy(s.Store.Address); err != nil {
		return err
	}
	if s.Redis, err = servers.StartRedis(); err != nil {
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

// configure writes the addresses of the store and of Redis into mkt.yaml, which all commands read.
func (s *System) configure() error {
	file := filepath.Join(s.Dir, "mkt.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "store:") || strings.HasPrefix(line, "redis:")
	})
	lines = append([]string{"store: " + strconv.Quote(s.Counter.URL("")), "redis: " + s.Redis.URL()}, lines...)
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
	if s.Redis != nil {
		s.Redis.Stop()
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
