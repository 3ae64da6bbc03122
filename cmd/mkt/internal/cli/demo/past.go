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
	Quota = 1_000_000 // requests an hour of the system's own providers, or credits
	burst = 1000      // requests a second
)

const (
	// PastStep is the simulated time between two cycles of the past. It is less than a minute:
	// otherwise minutes of play would be missed, and feeds would become stale.
	PastStep = 56 * time.Second
	// briefPast is the past of all but the main account, because people wait for it.
	briefPast = 10 * time.Minute
	// replayable is the newest part of the main account's past, which retention leaves.
	replayable = time.Hour
	marketStep = 15 * time.Minute
)

// shorten returns how long a duration of the simulated days takes.
func (f demoFlags) shorten(d time.Duration) time.Duration {
	return time.Duration(float64(d) / max(f.speed, 1))
}

func (f demoFlags) step() time.Duration { return f.wholeSeconds(PastStep) }

// wholeSeconds is [demoFlags.shorten] for a cadence.
func (f demoFlags) wholeSeconds(d time.Duration) time.Duration {
	return max(time.Second, f.shorten(d).Truncate(time.Second))
}

// schedule returns when the cycles of an account run: as the flags say, or those of the main account's past.
func (f demoFlags) schedule(past bool) map[football.Product]string {
	every, live := f.every, f.liveEvery
	if past {
		every, live = max(every, f.wholeSeconds(marketStep)), max(live, f.step())
	}
	return map[football.Product]string{football.MarketEngine: "@every " + every.String(), football.LiveIntelligence: "@every " + live.String()}
}

// begins returns when the past begins that is played: --past ago, or where an earlier demo in the folder ended.
func (g *Group) begins(f demoFlags, main *accounts.Tenant) (at time.Time, continued bool) {
	at = f.now.Add(-f.shorten(f.past))
	for p := range main.Products {
		if last := g.Batch.LastFetch(batch.Job{Tenant: main, Product: p}); !last.IsZero() {
			at, continued = latest(at, last.Add(f.step())), true
		}
	}
	if at.After(f.now) {
		at = f.now
	}
	return at.Truncate(time.Second), continued
}

// playPast runs the cycles of the past: matches in play then have been followed since they began. The main account is
// published, first of all and before opened is called, with a few fixtures; the cycles of the others are kept.
func (g *Group) playPast(ctx context.Context, clock *Clock, f demoFlags, file *accounts.File, steps []batch.Step, opened func()) error {
	defer clock.Show(time.Time{})
	everything := batch.Selection{All: true}
	jobs, _, err := everything.Jobs(file, f.now)
	if err != nil {
		return err
	}
	isMain := func(j batch.Job) bool { return j.Tenant.ID == file.Tenants[0].ID }
	jobs = slices.DeleteFunc(jobs, func(j batch.Job) bool { return j.Product == football.MarketEngine && !isMain(j) })
	next := make([]time.Time, len(jobs)) // when each job runs
	for i, j := range jobs {
		if next[i] = f.begins; !isMain(j) {
			next[i] = latest(f.begins.Add(time.Second), f.now.Add(-f.shorten(briefPast)), g.Batch.LastFetch(j).Add(f.step()))
		}
	}
	for at := f.begins; at.Before(clock.real()); at = at.Add(f.step()) {
		clock.Show(at)
		passed, all := at.Sub(f.begins), clock.real().Sub(f.begins)
		g.starting.Set(int(passed/f.step()), int(all/f.step())+1)
		var running errgroup.Group
		for i, j := range jobs {
			if next[i].After(at) {
				continue
			}
			of := steps[:2] // the rest is published by the first cycle of the present
			if isMain(j) {
				of = steps
			}
			if j.Product == football.MarketEngine {
				next[i] = at.Add(f.shorten(marketStep))
			}
			running.Go(func() error { return g.Batch.RunJob(ctx, ctx, j, "", of, func(batch.Report) {}) })
		}
		if err := running.Wait(); err != nil {
			return fmt.Errorf("cycles of %s: %w", at.UTC().Format("15:04:05"), err)
		}
		if at.Equal(f.begins) {
			opened()
		}
	}
	return nil
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
