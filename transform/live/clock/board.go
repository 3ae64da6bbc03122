package clock

import (
	"cmp"
	"time"

	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// HalfBegins and HalfEnds are where each half begins and ends on the scoreboard, in seconds, indexed by half.
var HalfBegins, HalfEnds = func() (begins, ends [5]int) {
	for half := range begins {
		begins[half], ends[half] = 60*football.HalfBegins(half), 60*football.HalfEnds(half)
	}
	return begins, ends
}()

// HalfMinutes returns the regular length of a half, in minutes.
func HalfMinutes(half int) int { return football.HalfEnds(half) - football.HalfBegins(half) }

// Board is a position of the scoreboard.
type Board struct {
	Half     int // the half that position belongs to, 0 before kick-off
	Position int // seconds on the scoreboard
	Known    bool
}

// Minute is a minute of play.
type Minute struct {
	Half int
	From int // its first second on the scoreboard
}

// IsAfter reports whether a minute is later than another.
func (m Minute) IsAfter(other Minute) bool {
	return cmp.Or(cmp.Compare(m.Half, other.Half), cmp.Compare(m.From, other.From)) > 0
}

// MinuteOf returns the index of the minute of a half, from 0, of a position in it.
func MinuteOf(half, position int) int {
	return clamp((position-HalfBegins[half])/60, 0, HalfMinutes(half)+rules.MaxStoppage-1)
}

// HalfSpan is more than any half lasts, in seconds.
const HalfSpan = 2 * rules.MaxPosition

// PlaceOf returns a position in a half as one number, which is higher in a later half: the second
// half begins after all stoppage time of the first, although both are 45:00 and more on the
// scoreboard. A position without a half is in the half on the scoreboard.
func PlaceOf(half, position int) int {
	for h := 1; half == 0; h++ {
		if h == len(HalfEnds)-1 || position < HalfEnds[h] {
			half = h
		}
	}
	return half*HalfSpan + max(position, HalfBegins[half])
}

// AddedMinute returns the minute of stoppage time of a place, from 1, and 0 outside it.
func AddedMinute(place int) int {
	half, position := place/HalfSpan, place%HalfSpan
	return max(0, (position-HalfEnds[half]+60)/60)
}

// OnScoreboard returns the reported position of a place. In stoppage time it is the end of the
// half.
func OnScoreboard(place int) int {
	return min(place%HalfSpan, HalfEnds[place/HalfSpan])
}

func distance[T int | int64](a, b T) T { return max(a-b, b-a) }

func clamp(n, low, high int) int { return max(low, min(n, high)) }

// UTC returns the time of Unix milliseconds.
func UTC(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
