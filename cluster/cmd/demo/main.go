// Demo runs a cluster of mkt on one machine: an object store, three NATS nodes, an emulated
// provider with invented accounts, two workers, and three replicas behind a proxy. It then
// kills a worker and a replica, and reports what clients saw.
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
	"syscall"
	"time"

	"mkt/cluster/servers"
)

type options struct {
	dir      string
	listen   string
	accounts int
	workers  int
	replicas int
	inPlay   int
	every    time.Duration
	look     time.Duration
	once     bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder for all files, kept at the end (default: a temporary one)")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8280", "address of the API; port 0 takes a free one")
	flag.IntVar(&o.accounts, "accounts", 4, "accounts, each with both products")
	flag.IntVar(&o.workers, "workers", 2, "processes that run cycles")
	flag.IntVar(&o.replicas, "replicas", 3, "processes that answer the API")
	flag.IntVar(&o.inPlay, "in-play", 6, "matches in play at any time")
	flag.DurationVar(&o.every, "every", 30*time.Second, "time between the market cycles of an account; live cycles run every 8 seconds")
	flag.DurationVar(&o.look, "look", 30*time.Second, "how long the clients are watched after each step")
	flag.BoolVar(&o.once, "once", false, "end after the report; without it everything runs until it is interrupted")
	flag.Parse()
	if flag.NArg() > 0 || o.accounts < 1 || o.workers < 2 || o.replicas < 2 || o.look < time.Second || o.every < time.Second || o.every%time.Second != 0 {
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
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "mkt-cluster-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	mkt, err := servers.MKT()
	if err != nil {
		return err
	}
	c := &cluster{options: o, mkt: mkt, began: time.Now()}
	defer c.stop()
	if err := c.start(ctx); err != nil {
		return err
	}
	c.describe()
	watched := c.watch(ctx)
	defer watched.stop()
	if err := c.story(ctx, watched); err != nil {
		return err
	}
	if o.once {
		return watched.verdict()
	}
	c.say("everything runs on; Ctrl-C ends it")
	<-ctx.Done()
	return nil
}

// story kills a worker and a replica, and reports after each what the clients saw.
func (c *cluster) story(ctx context.Context, w *watch) error {
	c.say("for %s nothing is touched", c.look)
	if err := c.report(ctx, w, "nothing was touched"); err != nil {
		return err
	}

	c.say("worker 1 is killed, as by a power cut, and its disk is wiped")
	if err := c.workers[0].kill(); err != nil {
		return err
	}
	if err := os.RemoveAll(c.workers[0].data); err != nil {
		return err
	}
	if err := c.report(ctx, w, fmt.Sprintf("one worker of %d is dead", c.options.workers)); err != nil {
		return err
	}

	c.say("worker 1 starts again, with an empty disk")
	if err := c.workers[0].start(ctx); err != nil {
		return err
	}
	if err := c.report(ctx, w, "worker 1 is back"); err != nil {
		return err
	}

	c.say("replica 1 is killed")
	if err := c.replicas[0].kill(); err != nil {
		return err
	}
	if err := c.report(ctx, w, fmt.Sprintf("one replica of %d is dead", c.options.replicas)); err != nil {
		return err
	}

	c.say("replica 1 starts again, with an empty cache")
	if err := os.RemoveAll(c.replicas[0].data); err != nil {
		return err
	}
	if err := c.replicas[0].start(ctx); err != nil {
		return err
	}
	if err := c.balance(); err != nil {
		return err
	}
	return c.report(ctx, w, "replica 1 is back")
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
