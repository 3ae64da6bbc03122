package work_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/internal/coordination"
	"mkt/internal/testing/check"
)

func startNATS(t *testing.T, nodes int) *servers.NATS {
	t.Helper()
	cluster, err := servers.StartNATS(nodes, t.TempDir())
	check.Must(t, err)
	t.Cleanup(cluster.Close)
	return cluster
}

// open opens a connection that is closed with the test.
func open(t *testing.T, url, name string, change ...func(*coordination.Options)) *coordination.Conn {
	t.Helper()
	a, err := coordination.Parse(url)
	check.Must(t, err)
	o := coordination.Options{Address: a, Name: name, Now: time.Now, Installation: "ab12"}
	if testing.Verbose() {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("conn", name)
	}
	for _, do := range change {
		do(&o)
	}
	c, err := coordination.Open(o)
	check.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

func run(client, product, purpose string) coordination.Run {
	return coordination.Run{Client: client, Product: product, Purpose: purpose, Short: product == "live_intelligence"}
}

func await(t *testing.T, c *coordination.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	check.Must(t, c.Wait(ctx))
}

// A lease is held by one at a time, is free at once when it is released, and is kept beyond its
// duration while it is held. The answers to the questions are those of a real cluster of three.
func TestLease(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, 3)
	a, b := open(t, nats.URL(), "a"), open(t, nats.URL(), "b")
	await(t, a)
	await(t, b)
	lease, err := a.Take(t.Context(), run("acme", "live_intelligence", "mkt schedule"))
	check.Must(t, err)
	var taken *coordination.Taken
	if _, err := b.Take(t.Context(), run("acme", "live_intelligence", "mkt cycle")); !errors.As(err, &taken) || taken.Holder != "a" {
		t.Fatalf("a lease that is held: %v", err)
	}
	other, err := b.Take(t.Context(), run("acme", "market_engine", "mkt cycle"))
	if err != nil {
		t.Fatalf("the lease of another product: %v", err)
	}
	other.Release()

	// Many connections, many rounds: never two holders.
	var holders, most atomic.Int32
	var rounds atomic.Int32
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	for i := range 4 {
		c := open(t, nats.NodeURL(i%3), fmt.Sprint("racer ", i))
		await(t, c)
		all.Go(func() {
			for ctx.Err() == nil {
				l, err := c.Take(ctx, run("raced", "live_intelligence", "mkt schedule"))
				if err != nil {
					continue
				}
				most.Store(max(most.Load(), holders.Add(1)))
				rounds.Add(1)
				holders.Add(-1)
				l.Release()
			}
		})
	}
	all.Wait()
	if most.Load() != 1 || rounds.Load() < 50 {
		t.Errorf("%d held the lease at once, in %d rounds", most.Load(), rounds.Load())
	}
	t.Logf("%d rounds", rounds.Load())

	time.Sleep(12 * time.Second) // with the rounds, longer than a lease that is not kept
	if _, err := b.Take(t.Context(), run("acme", "live_intelligence", "mkt cycle")); !errors.As(err, &taken) {
		t.Errorf("a lease that is kept: %v", err)
	}
	lease.Release()
	again, err := b.Take(t.Context(), run("acme", "live_intelligence", "mkt cycle"))
	if err != nil {
		t.Fatalf("a lease that was released: %v", err)
	}
	again.Release()
	if s := a.Stats(); s.Held != 0 || s.Taken != 1 || s.Lost != 0 || s.Replicas != 3 {
		t.Errorf("a: %+v", s)
	}
}
