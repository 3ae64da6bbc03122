package asof_test

import (
	"context"
	"testing"
	"time"

	"mkt/serve/asof"
)

var (
	from = time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	to   = from.Add(3 * time.Hour)
)

// hand is a real clock that a test moves.
type hand struct{ at time.Time }

func (h *hand) now() time.Time { return h.at }

// TestReplay: a replay stands until it is started, runs at its speed, and stops at its end.
func TestReplay(t *testing.T) {
	t.Parallel()
	real := &hand{to.AddDate(0, 0, 3)}
	c := asof.Replay(from, to, 30, real.now)
	real.at = real.at.Add(time.Hour)
	shows(t, c, from, "before it is started")
	c.Start()
	real.at = real.at.Add(time.Minute)
	shows(t, c, from.Add(30*time.Minute), "after a minute at 30")
	c.Start()
	real.at = real.at.Add(time.Second)
	shows(t, c, from.Add(30*time.Minute+30*time.Second), "started twice")
	real.at = real.at.Add(24 * 365 * 100 * time.Hour)
	shows(t, c, to, "a hundred years later")
	c.Set(from)
	real.at = real.at.Add(time.Minute)
	shows(t, c, from, "set to its beginning")
	c.Set(to.Add(time.Second))
	shows(t, c, to, "set beyond its end")
}

// TestStanding: a standing clock and one of speed 0 do not run; the real clock is no past.
func TestStanding(t *testing.T) {
	t.Parallel()
	c := asof.Standing(from)
	c.Start()
	shows(t, c, from, "standing")
	real := &hand{to}
	byHand := asof.Replay(from, to, 0, real.now)
	byHand.Start()
	real.at = to.Add(time.Hour)
	shows(t, byHand, from, "by hand")
	byHand.Set(from.Add(time.Minute))
	shows(t, byHand, from.Add(time.Minute), "set")
	now := asof.Real(real.now)
	shows(t, now, to.Add(time.Hour), "real")
	if now.IsPast() || !c.IsPast() {
		t.Error("which clock shows the past is wrong")
	}
}

// TestWait: a wait ends when the time is reached, and when the clock is moved.
func TestWait(t *testing.T) {
	t.Parallel()
	c := asof.Replay(from, to, 1000, time.Now)
	c.Start()
	for c.Now().Before(from.Add(time.Second)) { // other changes end a wait, too
		c.Wait(context.Background(), from.Add(time.Second))
	}
	c.Set(from)
	done := make(chan struct{})
	go func() { c.Wait(context.Background(), to); close(done) }()
	for ended := false; !ended; { // it may not have begun yet
		c.Set(from.Add(time.Minute))
		select {
		case <-done:
			ended = true
		case <-time.After(time.Millisecond):
		}
	}
	c.Wait(context.Background(), from) // is past already
	ended, end := context.WithCancel(context.Background())
	end()
	c.Wait(ended, to.Add(time.Hour)) // beyond the end: only the context ends it
}

func shows(t *testing.T, c *asof.Clock, want time.Time, when string) {
	t.Helper()
	if got := c.Now(); !got.Equal(want) {
		t.Errorf("%s: %v, want %v", when, got, want)
	}
}
