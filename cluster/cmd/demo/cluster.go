package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// cluster is everything that runs.
type cluster struct {
	options
	mkt   string
	began time.Time

	store     *servers.Store
	counter   *servers.Proxy // in front of the store
	nats      *servers.NATS
	balancer  *servers.Balancer
	simulator *process
	workers   []*process
	replicas  []*process
	accounts  []account
}

// account is an invented account.
type account struct{ id, token string }

// process is a process of mkt. Its log is the file NAME.log.
type process struct {
	c    *cluster
	name string
	args []string
	data string // its data root, if it has one of its own

	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
	ready  struct {
		BaseURL  string `json:"base_url"`
		AdminURL string `json:"admin_url"`
		Token    string `json:"token"`
	}
}

// say prints a line with the time since the start.
func (c *cluster) say(format string, args ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(c.began).Seconds(), fmt.Sprintf(format, args...))
}

// start starts everything and returns when every account is served.
func (c *cluster) start(ctx context.Context) (err error) {
	c.say("the store, NATS and the provider start")
	if c.store, err = servers.StartStore(filepath.Join(c.dir, "store")); err != nil {
		return err
	}
	if c.counter, err = servers.StartProxy(c.store.Address); err != nil {
		return err
	}
	if c.nats, err = servers.StartNATS(3, filepath.Join(c.dir, "nats")); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dir, "mkt.yaml")); err != nil {
		if _, err := c.run(ctx, "", "init", c.dir); err != nil {
			return err
		}
	}
	if err := c.configure(); err != nil {
		return err
	}
	c.simulator = c.process("simulate", "", "--listen", "127.0.0.1:0", "--fixtures", "40", "--in-play", strconv.Itoa(c.inPlay), "--quota", "100000000")
	if err := c.simulator.start(ctx); err != nil {
		return err
	}
	for i := range c.options.accounts {
		if err := c.enrol(ctx, fmt.Sprintf("account-%d", i+1)); err != nil {
			return err
		}
	}
	c.say("%d workers and %d replicas start", c.options.workers, c.options.replicas)
	if c.balancer, err = servers.StartBalancer(c.listen); err != nil {
		return err
	}
	for i := range c.options.workers {
		p := c.process("schedule", fmt.Sprintf("worker-%d", i+1), "--admin", "127.0.0.1:0")
		c.workers = append(c.workers, p)
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	for i := range c.options.replicas {
		p := c.process("serve", fmt.Sprintf("replica-%d", i+1), "--admin", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1")
		c.replicas = append(c.replicas, p)
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	if err := c.balance(); err != nil {
		return err
	}
	c.say("the first cycles are awaited: with new NATS servers no worker begins for 13 s, in which a lease that NATS lost may hold")
	for _, a := range c.accounts {
		for _, path := range []string{"/api/v1/fixtures?limit=1", "/api/v1/live?limit=1"} {
			if err := c.served(ctx, a, path); err != nil {
				return err
			}
		}
	}
	c.say("every account is served")
	return nil
}

// configure writes where the store and NATS are into mkt.yaml, which all commands read.
func (c *cluster) configure() error {
	file := filepath.Join(c.dir, "mkt.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "store:") || strings.HasPrefix(line, "work:")
	})
	lines = append([]string{"store: " + strconv.Quote(c.counter.URL("")), "work: " + c.nats.URL()}, lines...)
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600)
}

// enrol adds an account with both products, or gives it a new token if it is there.
func (c *cluster) enrol(ctx context.Context, id string) error {
	answer, err := c.run(ctx, "", "tenant", "add", id, "--product", "market_engine", "--output", "json")
	if err != nil {
		answer, err = c.run(ctx, "", "tenant", "token", "issue", id, "--output", "json")
	}
	if err != nil {
		return err
	}
	var added struct{ Token string }
	if err := json.Unmarshal(answer, &added); err != nil {
		return err
	}
	c.accounts = append(c.accounts, account{id, added.Token})
	for _, args := range [][]string{
		{"provider", "set", id, "--provider", "betsapi", "--base-url", c.simulator.ready.BaseURL, "--allow-private-address"},
		{"tenant", "product", "set", id, "live_intelligence"},
		{"tenant", "schedule", "set", id, "market_engine", "@every " + c.every.String()},
		{"tenant", "limit", "set", id, "--requests", "6000", "--burst", "600"},
	} {
		if _, err := c.run(ctx, c.simulator.ready.Token, args...); err != nil {
			return err
		}
	}
	return nil
}

// served waits until a path of an account answers through the balancer.
func (c *cluster) served(ctx context.Context, a account, path string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("%s of %s is not served; see the logs in %s", path, a.id, c.dir))
	defer cancel()
	for {
		if status, _, err := c.get(ctx, a, path, ""); err == nil && status == http.StatusOK {
			return nil
		}
		if sleep(ctx, 100*time.Millisecond) != nil {
			return context.Cause(ctx)
		}
	}
}

// balance gives the replicas that run to the balancer.
func (c *cluster) balance() error {
	var urls []string
	for _, p := range c.replicas {
		urls = append(urls, p.ready.BaseURL)
	}
	return c.balancer.Set(urls...)
}

// describe prints where everything is.
func (c *cluster) describe() {
	fmt.Printf("\n  API        %s/api/v1, in front of", c.balancer.URL())
	for _, p := range c.replicas {
		fmt.Printf(" %s", strings.TrimPrefix(p.ready.BaseURL, "http://"))
	}
	fmt.Printf("\n  metrics   ")
	for _, p := range slices.Concat(c.workers, c.replicas) {
		fmt.Printf(" %s %s", p.name, strings.TrimPrefix(p.ready.AdminURL, "http://"))
	}
	fmt.Printf("\n  provider   %s (emulated)\n  store      %s\n  NATS       %s\n  files      %s\n", c.simulator.ready.BaseURL, c.counter.URL(""), c.nats.URL(), c.dir)
	for _, a := range c.accounts {
		fmt.Printf("  %-9s  %s\n", a.id, a.token)
	}
	fmt.Printf(`
  requests     for /live and /changes, each twice a second, through the proxy
  failed       of these
  older        answers of /live that were older than one before, from another replica
  live waited  longest time without a newer snapshot; one is due every 8 s
  events       of the change log; missing must be 0
  again        positions that were refused, so that everything is read again
  joined       new connections of the socket; offline is the longest time without one
`)
	fmt.Printf("\n  curl -H 'Authorization: Bearer %s' '%s/api/v1/live?limit=5'\n  %s %s tail --base-url %s --verify\n\n",
		c.accounts[0].token, c.balancer.URL(), "MKT_TOKEN="+c.accounts[0].token, c.mkt, c.balancer.URL())
}

// stop stops everything, what others need last.
func (c *cluster) stop() {
	for _, p := range slices.Concat(c.replicas, c.workers, []*process{c.simulator}) {
		if p != nil && p.cmd != nil {
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	for _, p := range slices.Concat(c.replicas, c.workers, []*process{c.simulator}) {
		if p != nil && p.cmd != nil {
			<-p.exited
		}
	}
	if c.balancer != nil {
		c.balancer.Stop()
	}
	if c.nats != nil {
		c.nats.Close()
	}
	if c.counter != nil {
		c.counter.Stop()
	}
	if c.store != nil {
		c.store.Stop()
	}
}

// run runs a command of mkt that ends, and returns what it printed.
func (c *cluster) run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	var problem bytes.Buffer
	cmd := exec.CommandContext(ctx, c.mkt, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = c.dir, strings.NewReader(stdin), &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mkt %s: %w: %s", strings.Join(args[:min(len(args), 2)], " "), err, bytes.TrimSpace(problem.Bytes()))
	}
	return out, nil
}

// process returns a process that is not started. With a name it has a data root of its own.
func (c *cluster) process(command, name string, args ...string) *process {
	p := &process{c: c, name: name, args: slices.Concat([]string{command, "--output", "json", "--log-format", "json"}, args)}
	if name == "" {
		p.name = command
	} else {
		p.data = filepath.Join(c.dir, name)
		p.args = append(p.args, "--data", p.data)
	}
	return p
}

// start starts the process and waits until it is ready.
func (p *process) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(p.c.dir, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.c.mkt, p.args...)
	cmd.Dir, cmd.Stderr, cmd.Env = p.c.dir, log, append(os.Environ(), p.c.store.Env()...)
	// An interrupt of the terminal is for this program, which stops the others in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ready := make(chan error, 1)
	exited := make(chan struct{})
	go func() {
		ready <- json.NewDecoder(out).Decode(&p.ready)
		_ = cmd.Wait()
		close(exited)
	}()
	p.cmd, p.exited = cmd, exited
	select {
	case err := <-ready:
		if err != nil {
			return fmt.Errorf("%s ended before it was ready; see %s", p.name, log.Name())
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return fmt.Errorf("%s is not ready; see %s", p.name, log.Name())
	}
}

// published returns how many cycles a worker has published since it started.
func (p *process) published(ctx context.Context) (total float64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.ready.AdminURL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		series, value, _ := strings.Cut(lines.Text(), "} ")
		if strings.HasPrefix(series, "mkt_cycles_total{") && strings.Contains(series, `outcome="published"`) {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, lines.Err()
}

// kill ends the process without a warning.
func (p *process) kill() error {
	err := p.cmd.Process.Kill()
	<-p.exited
	if errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s has ended by itself; see %s.log", p.name, filepath.Join(p.c.dir, p.name))
	}
	return err
}
