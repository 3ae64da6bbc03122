package live

import (
	"cmp"
	"time"

	"mkt/publish/football"
)

// Where each half begins and ends on the scoreboard, in seconds, indexed by half.
var halfBegins, halfEnds = func() (begins, ends [5]int) {
	for half := range begins {
		begins[half], ends[half] = 60*football.HalfBegins(half), 60*football.HalfEnds(half)
	}
	return begins, ends
}()

func halfMinutes(half int) int { return football.HalfEnds(half) - football.HalfBegins(half) }

type boardPosition struct {
	half     int // the half that position belongs to, 0 before kick-off
	position int // seconds on the scoreboard
	known    bool
}

type minute struct {
	half int
	from int // its first second on the scoreboard
}

func (m minute) isAfter(other minute) bool {
	return cmp.Or(cmp.Compare(m.half, other.half), cmp.Compare(m.from, other.from)) > 0
}

func minuteOf(half, position int) int {
	return clamp((position-halfBegins[half])/60, 0, halfMinutes(half)+maxStoppage-1)
}

// halfSpan is more than any half lasts, in seconds.
const halfSpan = 2 * maxPosition

// placeOf returns a position in a half as one number, which is higher in a later half: the second
// half begins after all stoppage time of the first, although both are 45:00 and more on the
// scoreboard. A position without a half is in the half on the scoreboard.
func placeOf(half, position int) int {
	for h := 1; half == 0; h++ {
		if h == len(halfEnds)-1 || position < halfEnds[h] {
			half = h
		}
	}
	return half*halfSpan + max(position, halfBegins[half])
}

// addedMinute returns the minute of stoppage time of a place, from 1, and 0 outside it.
func addedMinute(place int) int {
	half, position := place/halfSpan, place%halfSpan
	return max(0, (position-halfEnds[half]+60)/60)
}

// onScoreboard returns the reported position of a place. In stoppage time it is the end of the
// half.
func onScoreboard(place int) int {
	return min(place%halfSpan, halfEnds[place/halfSpan])
}

func distance[T int | int64](a, b T) T { return max(a-b, b-a) }

func clamp(n, low, high int) int { return max(low, min(n, high)) }

// utc returns the time of Unix milliseconds.
func utc(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
