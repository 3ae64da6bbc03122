package simulator

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

// clockAt reads the scoreboard of a sequence of periods. In a break it shows the
// beginning of the next period, at the end the planned end of the last one.
func clockAt(periods []Period, at time.Duration) Clock {
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

// playedAt reads the scoreboard for something that happened in play: at the very end of a half, or
// shown in the break after it, it is of that half.
func playedAt(periods []Period, at time.Duration) Clock {
	for !clockAt(periods, at).Phase.Playing() && at >= time.Second {
		at -= time.Second
	}
	return clockAt(periods, at)
}

func breakBefore(p Phase) Phase { return p - 1 } // the constants alternate

// draft returns the halves of a match by its lots; extra time is added when it is
// reached.
func draft(f Fixture) []Period {
	length := time.Duration(f.League.Minutes) * time.Minute / 2
	if f.League.Kind == Esoccer {
		first := f.period(FirstHalf, 0, 0, length, 0, f.Lot(15, 51))
		rest := time.Duration(20+f.Lot(40, 52)) * time.Second
		return []Period{first, f.period(SecondHalf, first.To+rest, length, length, 0, f.Lot(15, 53))}
	}
	first := f.period(FirstHalf, 0, 0, length, 1+f.Lot(4, 54), f.Lot(50, 55))
	rest := time.Duration(14*60+f.Lot(150, 56)) * time.Second
	return []Period{first, f.period(SecondHalf, first.To+rest, length, length, 2+f.Lot(6, 57), f.Lot(80, 58))}
}

// period lasts for its announced minutes and some seconds longer.
func (f Fixture) period(p Phase, from, base, length time.Duration, added, longer int) Period {
	extra := time.Duration(added)*time.Minute + time.Duration(longer)*time.Second
	return Period{
		Phase: p, From: from, To: from + length + extra, Base: base, Length: length,
		Added: added, Board: from + length - time.Duration(f.Lot(40, 59, uint64(p)))*time.Second + 15*time.Second,
	}
}

// prolong returns the period of extra time, or the shoot-out, that follows.
func (f Fixture) prolong(periods []Period, p Phase) Period {
	last := periods[len(periods)-1]
	rest := time.Duration(180+f.Lot(120, 60, uint64(p))) * time.Second
	if p == ExtraSecond {
		rest = time.Duration(45+f.Lot(60, 61)) * time.Second
	}
	base := last.Base + last.Length
	if p == Shootout {
		shots := time.Duration(240+f.Lot(300, 62)) * time.Second
		return Period{Phase: p, From: last.To + rest, To: last.To + rest + shots, Base: base, Board: last.To + rest + shots}
	}
	return f.period(p, last.To+rest, base, 15*time.Minute, f.Lot(3, 63, uint64(p)), f.Lot(40, 64, uint64(p)))
}

// knockout reports whether a drawn match continues, and whether directly with penalties.
func (f Fixture) knockout() (goesOn, straight bool) {
	return f.League.Kind == Cup && f.League.Minutes == 90 && f.Lot(10, 65) < 7, f.Lot(4, 66) == 0
}
