package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// demoClock is the one clock of a demo: provider, cycles and API read it. It is
// set by hand while the past is played, and shows the time from then on.
type demoClock struct {
	real func() time.Time

	mu  sync.Mutex
	set time.Time // zero: it shows the time
}

func (c *demoClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.IsZero() {
		return c.real()
	}
	return c.set
}

func (c *demoClock) show(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = at
}

const (
	// demoQuota is requests an hour, and demoBurst requests a second, of the demo's
	// own provider, which need not be spared.
	demoQuota = 1_000_000
	demoBurst = 1000
)

// demoWorld makes the app's clock, providers and disk those of a demo. The clock
// is set to where the past begins.
func (a *app) demoWorld(f demoFlags) *demoClock {
	clock := &demoClock{real: a.now}
	clock.show(f.pastBegins(clock.real()))
	a.now, a.fleeting = clock.now, true
	lookup := a.adapter
	a.adapter = func(name string) (provider.Provider, bool) {
		p, ok := lookup(name)
		p.Budget.Burst = demoBurst
		return p, ok
	}
	return clock
}

const (
	// pastStep is the simulated time between two cycles of the past: below a
	// minute, so that no minute of play is missed and no feed grows stale.
	pastStep = 56 * time.Second
	// briefPast is what is played for all but the main account: people wait for it.
	briefPast = 10 * time.Minute
)

// shorten is how long something of the simulated days takes.
func (f demoFlags) shorten(d time.Duration) time.Duration {
	return time.Duration(float64(d) / max(f.speed, 1))
}

// pastBegins is when the past begins on the demo's clock.
func (f demoFlags) pastBegins(now time.Time) time.Time {
	return now.Add(-f.shorten(f.past)).Truncate(time.Second)
}

// playPast fetches and transforms the live cycles of the past as they would have
// been then, so that matches under way have been followed since they began. What
// an earlier demo in the same folder has seen is not played again.
func (a *app) playPast(ctx context.Context, clock *demoClock, f demoFlags, file *tenants.File, steps []step) error {
	defer clock.show(time.Time{})
	now, step := clock.real(), max(time.Second, f.shorten(pastStep).Truncate(time.Second))
	live := selection{all: true, product: string(football.LiveIntelligence)}
	jobs, _, err := live.jobs(file, now)
	if err != nil {
		return err
	}
	begins := make([]time.Time, len(jobs))
	for i, j := range jobs {
		if begins[i] = f.pastBegins(now); i > 0 {
			begins[i] = latest(begins[i], now.Add(-f.shorten(briefPast)))
		}
		begins[i] = latest(begins[i], a.lastFetch(j).Add(step))
	}
	for at := f.pastBegins(now); at.Before(clock.real()); at = at.Add(step) {
		clock.show(at)
		var all errgroup.Group
		for i, j := range jobs {
			if !begins[i].After(at) {
				all.Go(func() error { return a.runJob(ctx, ctx, j, "", steps, func(report) {}) })
			}
		}
		if err := all.Wait(); err != nil {
			return fmt.Errorf("live cycles of %s: %w", at.Format(time.TimeOnly), err)
		}
	}
	return nil
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
