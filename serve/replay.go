package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Replay is how a clock of the past moves. The zero value lets it run once, from its beginning to its end.
type Replay struct {
	Loop bool            // at the end it begins again
	Step <-chan struct{} // at the speed 0, each value moves the clock to the next publication
	// Moved, if not nil, is called when the clock was moved by a step, reached its end, or was rewound,
	// and the publications of that time are served.
	Moved func(ReplayEvent, time.Time)
}

// ReplayEvent is what happened to a replay.
type ReplayEvent string

// The events of a replay.
const (
	ReplayStepped ReplayEvent = "stepped"
	ReplayEnded   ReplayEvent = "ended"
	ReplayRewound ReplayEvent = "rewound"
)

// ErrTooFast reports that loading the publications of a replay would take longer than the replay.
var ErrTooFast = errors.New("the replay is too fast")

// maxLoading is the largest share of a replay's time that loading its publications may take.
const maxLoading = 0.8

// atTheEnd is how long a replay stands at its end before it begins again. Everything
// has been pushed by then: it is longer than a tick of the sockets.
const atTheEnd = 3 * time.Second

// showEnd lets a replay that runs stand at its end, until prepareReplay: the last publications of
// the span are loaded first, to measure how long that takes.
func (s *server) showEnd() {
	if s.clock.Speed() > 0 {
		_, to := s.clock.Span()
		s.clock.Set(to)
	}
}

// prepareReplay refuses a speed at which publications of markets would arrive faster than they are
// loaded. Then the first publications of the span are served.
func (s *server) prepareReplay(ctx context.Context) error {
	if s.clock.Speed() == 0 {
		return nil
	}
	from, _ := s.clock.Span()
	select {
	case <-s.library.Loaded():
	case <-ctx.Done():
		return nil
	}
	defer s.library.Refresh(ctx)
	defer s.clock.Set(from)
	most := s.library.MaxSpeed(maxLoading)
	if most == 0 || s.clock.Speed() <= most {
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

// replay moves a clock of the past until ctx ends.
func (s *server) replay(ctx context.Context, o Replay) {
	from, to := s.clock.Span()
	if !s.clock.IsPast() || from.Equal(to) {
		return
	}
	moved := func(what ReplayEvent) {
		if o.Moved != nil {
			o.Moved(what, s.clock.Now())
		}
	}
	for ctx.Err() == nil {
		if s.clock.Speed() > 0 {
			s.clock.Start()
			s.reach(ctx, to)
		} else if !s.step(ctx, o.Step, moved) {
			return
		}
		s.library.Refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		moved(ReplayEnded)
		if !o.Loop {
			return
		}
		if s.clock.Speed() > 0 && !pause(ctx, atTheEnd) {
			return
		}
		s.clock.Set(from)
		s.library.Refresh(ctx)
		moved(ReplayRewound)
	}
}

func (s *server) reach(ctx context.Context, at time.Time) {
	for ctx.Err() == nil && s.clock.Now().Before(at) {
		s.clock.Wait(ctx, at)
	}
}

// step moves the clock to the next publication whenever asked, until there is none left to move to. It
// returns false if ctx has ended or nobody will ask again.
func (s *server) step(ctx context.Context, asked <-chan struct{}, moved func(ReplayEvent)) bool {
	_, to := s.clock.Span()
	for {
		select {
		case <-ctx.Done():
			return false
		case _, more := <-asked:
			if !more {
				return false
			}
		}
		next := s.library.Refresh(ctx)
		if next.IsZero() || next.After(to) {
			s.clock.Set(to)
			return true
		}
		s.clock.Set(next)
		s.library.Refresh(ctx)
		moved(ReplayStepped)
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
