// Demo runs a cluster of mkt on one machine: an object store, Redis, an emulated provider with
// invented accounts, two workers, and three replicas behind a proxy. It then kills a worker and a
// replica, and reports the observations of the clients.
//
//	make demo-cluster
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mkt/cluster/servers"
	"mkt/cluster/system"
)

type options struct {
	system.Options
	look time.Duration
	once bool
}

func main() {
	var o options
	flag.StringVar(&o.Dir, "dir", "", "folder for all files, kept at the end (default: a temporary one)")
	flag.StringVar(&o.Listen, "listen", "127.0.0.1:8280", "address of the API; port 0 takes a free one")
	flag.IntVar(&o.Options.Accounts, "accounts", 4, "accounts, each with both products")
	flag.IntVar(&o.Options.Workers, "workers", 2, "processes that run cycles")
	flag.IntVar(&o.Options.Replicas, "replicas", 3, "processes that answer the API")
	flag.IntVar(&o.InPlay, "in-play", 6, "matches in play at any time")
	flag.DurationVar(&o.Markets, "every", 30*time.Second, "time between the market cycles of an account; live cycles run every 8 seconds")
	flag.DurationVar(&o.look, "look", 30*time.Second, "how long the clients are watched after each step")
	flag.BoolVar(&o.once, "once", false, "end after the report; without it everything runs until it is interrupted")
	flag.Parse()
	if flag.NArg() > 0 || o.Options.Accounts < 1 || o.Options.Workers < 2 || o.Options.Replicas < 2 ||
		o.look < time.Second || o.Markets < time.Second || o.Markets%time.Second != 0 {
		fmt.Fprintln(os.Stderr, "demo: at least 1 account, 2 workers and 2 replicas are needed, -look is at least 1s, and -every is in whole seconds")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "mkt-cluster-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if o.MKT, err = servers.MKT(); err != nil {
		return err
	}
	d := &demo{look: o.look, began: time.Now()}
	o.Fixtures, o.Say = 40, d.say
	if d.System, err = system.Start(ctx, o.Options); err != nil {
		return err
	}
	defer func() {
		d.say("everything stops: cycles under way end first")
		d.Stop()
	}()
	d.say("every account is served")
	d.describe()
	watched := d.watch(ctx)
	defer watched.stop()
	if err := d.story(ctx, watched); err != nil {
		return err
	}
	if o.once {
		return watched.verdict()
	}
	d.say("everything runs on; Ctrl-C ends it")
	<-ctx.Done()
	return nil
}

// demo is the demonstrated cluster.
type demo struct {
	*system.System
	look  time.Duration
	began time.Time
}

// say prints a line with the time since the start.
func (d *demo) say(format string, args ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(d.began).Seconds(), fmt.Sprintf(format, args...))
}

// describe prints the addresses of everything.
func (d *demo) describe() {
	fmt.Printf("\n  API        %s/api/v1, in front of", d.Balancer.URL())
	for _, p := range d.Replicas {
		fmt.Printf(" %s", strings.TrimPrefix(p.Ready.BaseURL, "http://"))
	}
	fmt.Printf("\n  metrics   ")
	for _, p := range slices.Concat(d.Workers, d.Replicas) {
		fmt.Printf(" %s %s", p.Name, strings.TrimPrefix(p.Ready.AdminURL, "http://"))
	}
	fmt.Printf("\n  provider   %s (emulated)\n  store      %s\n  Redis      %s\n  files      %s\n", d.Simulator.Ready.BaseURL, d.Counter.URL(""), d.Redis.URL(), d.Dir)
	for _, a := range d.Accounts {
		fmt.Printf("  %-9s  %s\n", a.ID, a.Token)
	}
	fmt.Print(`
  requests     for /live and /changes, each twice a second, through the proxy
  failed       of these
  older        answers of /live that were older than one before, from another replica
  live waited  longest time without a newer snapshot; one is due every 8 s
  events       of the change log; missing must be 0
  again        positions that were refused, so that everything is read again
  joined       new connections of the socket; offline is the longest time without one
`)
	fmt.Printf("\n  curl -H 'Authorization: Bearer %s' '%s/api/v1/live?limit=5'\n  MKT_TOKEN=%s %s tail --base-url %s --verify\n\n",
		d.Accounts[0].Token, d.Balancer.URL(), d.Accounts[0].Token, d.MKT, d.Balancer.URL())
}

// story kills a worker and a replica, and reports after each the observations of the clients.
func (d *demo) story(ctx context.Context, w *watch) error {
	d.say("for %s nothing is touched", d.look)
	if err := d.report(ctx, w, "nothing was touched"); err != nil {
		return err
	}

	d.say("worker 1 is killed, as by a power cut, and its disk is wiped")
	if err := d.Workers[0].Kill(); err != nil {
		return err
	}
	if err := os.RemoveAll(d.Workers[0].Data); err != nil {
		return err
	}
	if err := d.report(ctx, w, fmt.Sprintf("one worker of %d is dead", len(d.Workers))); err != nil {
		return err
	}

	d.say("worker 1 starts again, with an empty disk")
	if err := d.Workers[0].Start(ctx); err != nil {
		return err
	}
	if err := d.report(ctx, w, "worker 1 is back"); err != nil {
		return err
	}

	d.say("replica 1 is killed")
	if err := d.Replicas[0].Kill(); err != nil {
		return err
	}
	if err := d.report(ctx, w, fmt.Sprintf("one replica of %d is dead", len(d.Replicas))); err != nil {
		return err
	}

	d.say("replica 1 starts again, with an empty cache")
	if err := os.RemoveAll(d.Replicas[0].Data); err != nil {
		return err
	}
	if err := d.Replicas[0].Start(ctx); err != nil {
		return err
	}
	if err := d.Balance(); err != nil {
		return err
	}
	return d.report(ctx, w, "replica 1 is back")
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
