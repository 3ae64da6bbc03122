package timeline

import (
	"mkt/publish/football"
	"mkt/transform/live/counter"
)

// never is a time before all others.
const never = -1 << 20

// recent is what the next state of play depends on. Its times are in seconds of tau.
type recent struct {
	heldUntil int // an event is the state until then
	attack    counter.Pair
	dangerous counter.Pair // the last dangerous attack
	danger    counter.Pair
	pressing  int // the side whose pressure holds, 1 home, 2 away, 0 neither
}

func nothingRecent() recent {
	return recent{heldUntil: never, attack: counter.Pair{never, never}, dangerous: counter.Pair{never, never}, danger: counter.Pair{never, never}}
}

// latest returns the side with the later time, and whether that is after since.
func latest(times counter.Pair, since int) (football.Side, bool) {
	switch {
	case max(times[0], times[1]) <= since:
		return football.SideNone, false
	case times[0] == times[1]:
		return football.SideNone, true
	case times[0] > times[1]:
		return football.SideHome, true
	}
	return football.SideAway, true
}
