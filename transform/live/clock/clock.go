// Package clock interprets the clock that a sample sends: which half is played, where the scoreboard
// is, and how much was played since the sample before.
package clock

import (
	"time"

	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// Clock is the clock of a fixture in one sample.
type Clock struct {
	football.Clock
	Half     int  // the half that is or was last played, 0 before kick-off
	Position int  // seconds on the scoreboard, 0 when not known
	Known    bool // the position was sent
	Runs     bool // the match clock runs, as far as is known
}

// Grain returns for how many seconds a running clock may stand still.
func (c *Clock) Grain() int {
	if c.Known && c.Second.State() == football.Missing {
		return rules.MinuteGrain
	}
	return 0
}

// Patience is Grain as a duration.
func (c *Clock) Patience() time.Duration { return time.Duration(c.Grain()) * time.Second }

// Played returns how many seconds of match clock passed between two clocks that are
// elapsed seconds apart. A scoreboard that is set back or forward is a correction,
// and no time passed.
func (c *Clock) Played(next *Clock, elapsed int) int {
	switch {
	case !c.Known || !next.Known:
		if c.Runs && next.Runs {
			return elapsed
		}
		return 0
	case next.Half != c.Half && next.Phase.Half() != 0:
		return clamp(next.Position-HalfBegins[next.Half], 0, elapsed+rules.ClockSlack)
	case next.Half != c.Half:
		return 0
	}
	moved := next.Position - c.Position
	if c.Runs && next.Runs && distance(moved, elapsed) > rules.ClockSlack {
		return elapsed
	}
	return clamp(moved, 0, elapsed+rules.ClockSlack)
}

// SetForward returns by how many seconds the scoreboard of a half moved further than time went
// by. It was corrected, or the earlier sample was older than it seemed, because the feed stood
// still already.
func (c *Clock) SetForward(next *Clock, elapsed int) int {
	if !c.Known || !next.Known || c.Half != next.Half || !c.Runs || !next.Runs {
		return 0
	}
	return next.Position - c.Position - elapsed
}

// IsBehind reports whether the next clock is that of a server that lags: it is in the
// same half, and no more than [rules.ReplicaLag] behind.
func (c *Clock) IsBehind(next *Clock) bool {
	back := c.Position - next.Position
	return c.Runs && next.Runs && c.Known && next.Known && c.Half == next.Half && back > 0 && back <= rules.ReplicaLag
}

// Rests reports whether a half is over and the next has not begun.
func (c *Clock) Rests() bool { return c.Phase.Half() == 0 && c.Half != 0 }

// IsBreak reports whether no half is played, as far as is known.
func (c *Clock) IsBreak() bool { return c.Phase.Half() == 0 && c.Phase != football.NoPhase }
