package play

import "time"

// Phase of a match.
type Phase uint8

const (
	Before Phase = iota // the kick-off whistle has not gone
	FirstHalf
	HalfTime
	SecondHalf
	BeforeExtra // between normal and extra time
	ExtraFirst
	ExtraBreak
	ExtraSecond
	BeforeShootout
	Shootout
	FullTime
)

var phaseNames = [...]string{"before", "first half", "half-time", "second half", "before extra time", "extra time, first half",
	"break in extra time", "extra time, second half", "before the shoot-out", "shoot-out", "full time"}

func (p Phase) String() string { return phaseNames[p] }

// Playing reports whether the clock runs.
func (p Phase) Playing() bool {
	return p == FirstHalf || p == SecondHalf || p == ExtraFirst || p == ExtraSecond
}

// Half is the number of the half being played, 1 to 4, and 0 in every other phase.
func (p Phase) Half() int {
	if !p.Playing() {
		return 0
	}
	return int(p+1) / 2
}

// Period is one stretch of a match. From and To count from the kick-off whistle
// in real time; To is the whistle that ends it.
type Period struct {
	Phase    Phase
	From, To time.Duration
	Base     time.Duration // the scoreboard at From
	Length   time.Duration // as planned, without stoppage time
	Added    int           // announced minutes of stoppage time
	Board    time.Duration // when they are announced
}

// Clock is the scoreboard at one moment.
type Clock struct {
	Phase   Phase
	Shown   time.Duration // whole seconds; runs on past 45 and 90 minutes in stoppage time
	Running bool
	Added   int // announced minutes, until the next period begins
}

// Minute returns the minute under way as timelines have it, from 1. In stoppage time it is the last
// one of the half, and added is the minute of stoppage time.
func (c Clock) Minute() (minute, added int) {
	minute, last := int(c.Shown/time.Minute)+1, 120
	switch c.Phase {
	case FirstHalf:
		last = 45
	case SecondHalf:
		last = 90
	case ExtraFirst:
		last = 105
	}
	return min(minute, last), max(0, minute-last)
}

// ClockAt reads the scoreboard of a sequence of periods. In a break it shows the
// beginning of the next period, at the end the planned end of the last one.
func ClockAt(periods []Period, at time.Duration) Clock {
	var last Period
	for _, p := range periods {
		if at < p.From {
			return Clock{Phase: breakBefore(p.Phase), Shown: p.Base, Added: last.Added}
		}
		if at < p.To {
			c := Clock{Phase: p.Phase, Shown: p.Base, Running: p.Phase.Playing()}
			if c.Running {
				c.Shown += (at - p.From).Truncate(time.Second)
			}
			if at >= p.Board {
				c.Added = p.Added
			}
			return c
		}
		last = p
	}
	return Clock{Phase: FullTime, Shown: last.Base + last.Length, Added: last.Added}
}

// PlayedAt reads the scoreboard for something that happened in play: at the very end of a half, or
// shown in the break after it, it is of that half.
func PlayedAt(periods []Period, at time.Duration) Clock {
	for !ClockAt(periods, at).Phase.Playing() && at >= time.Second {
		at -= time.Second
	}
	return ClockAt(periods, at)
}

func breakBefore(p Phase) Phase { return p - 1 } // the constants alternate
