package live

import (
	"time"

	"mkt/publish/football"
)

type clock struct {
	football.Clock
	half     int  // the half that is or was last played, 0 before kick-off
	position int  // seconds on the scoreboard, 0 when not known
	known    bool // the position was sent
	runs     bool // the match clock runs, as far as is known
}

// grain returns for how many seconds a running clock may stand still.
func (c *clock) grain() int {
	if c.known && c.Second.State() == football.Missing {
		return minuteGrain
	}
	return 0
}

func (c *clock) patience() time.Duration { return time.Duration(c.grain()) * time.Second }

// played returns how many seconds of match clock passed between two clocks that are
// elapsed seconds apart. A scoreboard that is set back or forward is a correction,
// and no time passed.
func (c *clock) played(next *clock, elapsed int) int {
	switch {
	case !c.known || !next.known:
		if c.runs && next.runs {
			return elapsed
		}
		return 0
	case next.half != c.half && next.Phase.Half() != 0:
		return clamp(next.position-halfBegins[next.half], 0, elapsed+clockSlack)
	case next.half != c.half:
		return 0
	}
	moved := next.position - c.position
	if c.runs && next.runs && distance(moved, elapsed) > clockSlack {
		return elapsed
	}
	return clamp(moved, 0, elapsed+clockSlack)
}

// setForward returns by how many seconds the scoreboard of a half moved further than time went
// by. It was corrected, or the earlier sample was older than it seemed, because the feed stood
// still already.
func (c *clock) setForward(next *clock, elapsed int) int {
	if !c.known || !next.known || c.half != next.half || !c.runs || !next.runs {
		return 0
	}
	return next.position - c.position - elapsed
}

// isBehind reports whether the next clock is that of a server that lags: it is in the
// same half, and no more than replicaLag behind.
func (c *clock) isBehind(next *clock) bool {
	back := c.position - next.position
	return c.runs && next.runs && c.known && next.known && c.half == next.half && back > 0 && back <= replicaLag
}

// rests reports whether a half is over and the next has not begun.
func (c *clock) rests() bool { return c.Phase.Half() == 0 && c.half != 0 }

// isBreak reports whether no half is played, as far as is known.
func (c *clock) isBreak() bool { return c.Phase.Half() == 0 && c.Phase != football.NoPhase }
