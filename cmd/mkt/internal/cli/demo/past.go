package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
)

// Clock is the clock of a system. It shows the time set by [Clock.Show], or the real time for the
// zero time.
type Clock struct {
	real func() time.Time

	mu  sync.Mutex
	set time.Time // zero: the real time
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.IsZero() {
		return c.real()
	}
	return c.set
}

// Show sets the clock.
func (c *Clock) Show(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = at
}

const (
	Quota = 1_000_000 // requests an hour of the system's own provider
	burst = 1000      // requests a second
)

const (
	// PastStep is the simulated time between two cycles of the past. It is less than a minute:
	// otherwise minutes of play would be missed, and feeds would become stale.
	PastStep = 56 * time.Second
	// briefPast is the past of all but the main account, because people wait for it.
	briefPast = 10 * time.Minute
)

// shorten returns how long a duration of the simulated days takes.
func (f demoFlags) shorten(d time.Duration) time.Duration {
	return time.Duration(float64(d) / max(f.speed, 1))
}

func (f demoFlags) pastBegins(now time.Time) time.Time {
	return now.Add(-f.shorten(f.past)).Truncate(time.Second)
}

// playPast fetches and transforms the live cycles of the past: matches in play then have been
// followed since they began. It does not repeat cycles of an earlier demo in the same folder.
func (g *Group) playPast(ctx context.Context, clock *Clock, f demoFlags, file *tenants.File, steps []batch.Step) error {
	defer clock.Show(time.Time{})
	now, step := clock.real(), max(time.Second, f.shorten(PastStep).Truncate(time.Second))
	live := batch.Selection{All: true, Product: string(football.LiveIntelligence)}
	jobs, _, err := live.Jobs(file, now)
	if err != nil {
		return err
	}
	begins := make([]time.Time, len(jobs))
	for i, j := range jobs {
		if begins[i] = f.pastBegins(now); i > 0 {
			begins[i] = latest(begins[i], now.Add(-f.shorten(briefPast)))
		}
		begins[i] = latest(begins[i], g.Batch.LastFetch(j).Add(step))
	}
	for at := f.pastBegins(now); at.Before(clock.real()); at = at.Add(step) {
		clock.Show(at)
		passed, all := at.Sub(f.pastBegins(now)), clock.real().Sub(f.pastBegins(now))
		g.starting.Set(int(passed/step), int(all/step)+1)
		var running errgroup.Group
		for i, j := range jobs {
			if !begins[i].After(at) {
				running.Go(func() error { return g.Batch.RunJob(ctx, ctx, j, "", steps, func(batch.Report) {}) })
			}
		}
		if err := running.Wait(); err != nil {
			return fmt.Errorf("live cycles of %s: %w", at.Format(time.TimeOnly), err)
		}
	}
	return nil
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
