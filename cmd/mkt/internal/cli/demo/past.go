package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/internal/accounts"
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
	// publishedPast is the part of the main account's past that was published, with markets every marketStep:
	// it can be replayed, and its prices have a path.
	publishedPast = time.Hour
	marketStep    = 10 * time.Minute
)

// shorten returns how long a duration of the simulated days takes.
func (f demoFlags) shorten(d time.Duration) time.Duration {
	return time.Duration(float64(d) / max(f.speed, 1))
}

func (f demoFlags) pastBegins(now time.Time) time.Time {
	return now.Add(-f.shorten(f.past)).Truncate(time.Second)
}

// published returns when the published part of the past begins.
func (f demoFlags) published(now time.Time) time.Time {
	return now.Add(-f.shorten(min(publishedPast, f.past)))
}

// playPast runs the live cycles of the past: matches in play then have been followed since they
// began. Only the main account's last hour is published, with markets. It does not repeat
// cycles of an earlier demo in the same folder.
func (g *Group) playPast(ctx context.Context, clock *Clock, f demoFlags, file *accounts.File, steps []batch.Step) error {
	defer clock.Show(time.Time{})
	now, step := clock.real(), max(time.Second, f.shorten(PastStep).Truncate(time.Second))
	everything := batch.Selection{All: true}
	jobs, _, err := everything.Jobs(file, now)
	if err != nil {
		return err
	}
	main := file.Tenants[0].ID
	published := f.published(now)
	jobs = slices.DeleteFunc(jobs, func(j batch.Job) bool { return j.Product == football.MarketEngine && j.Tenant.ID != main })
	next := make([]time.Time, len(jobs)) // when each job runs
	for i, j := range jobs {
		switch {
		case j.Product == football.MarketEngine:
			next[i] = published
		case j.Tenant.ID == main:
			next[i] = f.pastBegins(now)
		default:
			next[i] = latest(f.pastBegins(now), now.Add(-f.shorten(briefPast)))
		}
		next[i] = latest(next[i], g.Batch.LastFetch(j).Add(step))
	}
	for at := f.pastBegins(now); at.Before(clock.real()); at = at.Add(step) {
		clock.Show(at)
		passed, all := at.Sub(f.pastBegins(now)), clock.real().Sub(f.pastBegins(now))
		g.starting.Set(int(passed/step), int(all/step)+1)
		var running errgroup.Group
		for i, j := range jobs {
			if next[i].After(at) {
				continue
			}
			of := steps[:2] // the rest is published by the first cycle of the present
			if j.Tenant.ID == main && !at.Before(published) {
				of = steps
			}
			if j.Product == football.MarketEngine {
				next[i] = at.Add(f.shorten(marketStep))
			}
			running.Go(func() error { return g.Batch.RunJob(ctx, ctx, j, "", of, func(batch.Report) {}) })
		}
		if err := running.Wait(); err != nil {
			return fmt.Errorf("cycles of %s: %w", at.Format(time.TimeOnly), err)
		}
	}
	return nil
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
