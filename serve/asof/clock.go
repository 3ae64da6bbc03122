// Package asof has the time that a server answers for: the present, a time in the past, or a
// period of the past that runs again.
//
// What a client is told follows from this clock: which publication is the newest, how old it
// is, what an account may read. Limits of requests, heartbeats and logs follow the real one.
package asof

import (
	"context"
	"sync"
	"time"
)

// Clock is one of three: [Real], [Standing] or [Replay]. Safe for concurrent use.
type Clock struct {
	real     func() time.Time
	from, to time.Time // both zero: the real clock
	speed    float64

	mu    sync.Mutex
	at    time.Time     // its time at the real time since
	since time.Time     // zero: it stands
	moved chan struct{} // closed when it was started or set
}

// Real returns the clock of the present.
func Real(now func() time.Time) *Clock { return &Clock{real: now} }

// Standing returns a clock that always shows one time of the past.
func Standing(at time.Time) *Clock { return Replay(at, at, 0, nil) }

// Replay returns a clock that stands at from until [Clock.Start], then runs with a multiple of
// the speed of now, and stands again at to. With the speed 0 only [Clock.Set] moves it.
func Replay(from, to time.Time, speed float64, now func() time.Time) *Clock {
	return &Clock{real: now, from: from.UTC(), to: to.UTC(), speed: speed, at: from.UTC(), moved: make(chan struct{})}
}

// IsPast reports whether the clock shows the past, standing or running.
func (c *Clock) IsPast() bool { return !c.from.IsZero() }

// Span returns the first and the last time of a clock of the past.
func (c *Clock) Span() (from, to time.Time) { return c.from, c.to }

// Speed returns the speed of a replay.
func (c *Clock) Speed() float64 { return c.speed }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	if !c.IsPast() {
		return c.real()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if c.since.IsZero() {
		return c.at
	}
	// Not as a duration times the speed: hours at a high speed would overflow it.
	passed := c.real().Sub(c.since).Seconds() * c.speed
	if left := c.to.Sub(c.at).Seconds(); passed >= left {
		return c.to
	}
	return c.at.Add(time.Duration(passed * float64(time.Second)))
}

// Start lets a replay run from the time that it shows.
func (c *Clock) Start() {
	if c.speed > 0 {
		c.change(func() { c.at, c.since = c.now(), c.real() })
	}
}

// Set lets a clock of the past stand at a time of its span.
func (c *Clock) Set(at time.Time) {
	c.change(func() {
		c.at, c.since = at.UTC(), time.Time{}
		if at.After(c.to) {
			c.at = c.to
		}
	})
}

func (c *Clock) change(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how()
	close(c.moved)
	c.moved = make(chan struct{})
}

// Wait returns when a clock of the past shows a time, when it was started or set, or when
// ctx has ended. A caller must look again at [Clock.Now].
func (c *Clock) Wait(ctx context.Context, at time.Time) {
	c.mu.Lock()
	moved, now, runs := c.moved, c.now(), !c.since.IsZero()
	c.mu.Unlock()
	if !now.Before(at) {
		return
	}
	var reached <-chan time.Time
	if runs && !at.After(c.to) {
		seconds := at.Sub(now).Seconds() / c.speed
		timer := time.NewTimer(time.Duration(min(seconds, maxWait.Seconds())*float64(time.Second)) + time.Microsecond)
		defer timer.Stop()
		reached = timer.C
	}
	select {
	case <-reached:
	case <-moved:
	case <-ctx.Done():
	}
}

// maxWait bounds a wait at a speed near zero, which a duration could not hold.
const maxWait = 24 * time.Hour
