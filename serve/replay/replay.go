// Package replay lets a past period run again: it moves the clock of [mkt/serve/asof] at its speed, or
// from one publication to the next.
package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"mkt/serve/asof"
	"mkt/serve/internal/reader"
)

// Options are how a clock of the past moves. The zero value lets it run once, from its beginning to its end.
type Options struct {
	Loop bool            // at the end it begins again
	Step <-chan struct{} // at the speed 0, each value moves the clock to the next publication
	// Moved, if not nil, is called when the clock was moved by a step, reached its end, or was rewound,
	// and the publications of that time are served.
	Moved func(Event, time.Time)
}

// Event is what happened to a replay.
type Event string

// The events of a replay.
const (
	Stepped Event = "stepped"
	Ended   Event = "ended"
	Rewound Event = "rewound"
)

// ErrTooFast reports that loading the publications of a replay would take longer than the replay.
var ErrTooFast = errors.New("the replay is too fast")

// maxLoading is the largest share of a replay's time that loading its publications may take.
const maxLoading = 0.8

// atTheEnd is how long a replay pauses at its end before it begins again. It is longer than a
// tick of the sockets, so everything has been pushed by then.
const atTheEnd = 3 * time.Second

// Replay moves a clock through a past period. The library serves the publications as of that clock.
type Replay struct {
	Clock   *asof.Clock
	Library *reader.Library
}

// ShowEnd lets a clock that will run stand at its end, until [Replay.Prepare]: the last publications of
// the span are loaded first, to measure how long that takes.
func ShowEnd(c *asof.Clock) {
	if c.Speed() > 0 {
		_, to := c.Span()
		c.Set(to)
	}
}

// Prepare refuses a speed at which publications of markets would arrive faster than they are
// loaded. Then the first publications of the span are served.
func (r Replay) Prepare(ctx context.Context) error {
	if r.Clock.Speed() == 0 {
		return nil
	}
	from, _ := r.Clock.Span()
	select {
	case <-r.Library.Loaded():
	case <-ctx.Done():
		return nil
	}
	defer r.Library.Refresh(ctx)
	defer r.Clock.Set(from)
	most := r.Library.MaxSpeed(maxLoading)
	if most == 0 || r.Clock.Speed() <= most {
		return nil
	}
	return fmt.Errorf("serve: %w: this machine loads its publications of markets at a speed of at most %g", ErrTooFast, roundDown(most))
}

// roundDown rounds a speed down to two digits: the speed of a message must be possible.
func roundDown(speed float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(speed))-1)
	text := strconv.FormatFloat(math.Floor(speed/unit)*unit, 'g', 2, 64)
	rounded, _ := strconv.ParseFloat(text, 64) // without the error of the product
	return rounded
}

// Run moves a clock of the past until ctx ends.
func (r Replay) Run(ctx context.Context, o Options) {
	from, to := r.Clock.Span()
	if !r.Clock.IsPast() || from.Equal(to) {
		return
	}
	moved := func(what Event) {
		if o.Moved != nil {
			o.Moved(what, r.Clock.Now())
		}
	}
	for ctx.Err() == nil {
		if r.Clock.Speed() > 0 {
			r.Clock.Start()
			r.reach(ctx, to)
		} else if !r.step(ctx, o.Step, moved) {
			return
		}
		r.Library.Refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		moved(Ended)
		if !o.Loop {
			return
		}
		if r.Clock.Speed() > 0 && !pause(ctx, atTheEnd) {
			return
		}
		r.Clock.Set(from)
		r.Library.Refresh(ctx)
		moved(Rewound)
	}
}

func (r Replay) reach(ctx context.Context, at time.Time) {
	for ctx.Err() == nil && r.Clock.Now().Before(at) {
		r.Clock.Wait(ctx, at)
	}
}

// step moves the clock to the next publication whenever asked, until there is none left to move to. It
// returns false if ctx has ended or nobody will ask again.
func (r Replay) step(ctx context.Context, asked <-chan struct{}, moved func(Event)) bool {
	_, to := r.Clock.Span()
	for {
		select {
		case <-ctx.Done():
			return false
		case _, more := <-asked:
			if !more {
				return false
			}
		}
		next := r.Library.Refresh(ctx)
		if next.IsZero() || next.After(to) {
			r.Clock.Set(to)
			return true
		}
		r.Clock.Set(next)
		r.Library.Refresh(ctx)
		moved(Stepped)
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
