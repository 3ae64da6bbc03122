package play

import (
	"time"

	"mkt/fetch/simulator/competition"
)

// Lots of a shoot-out.
const (
	lotFirstKick = 80
	lotKick      = 81
)

const (
	kicksEach = 5
	mostKicks = 40 // then the next round is decided
)

// shootout returns the kicks of the last period, spread over it: in turn, until one side
// cannot be caught up with, after five kicks each at the end of a round.
func (p *play) shootout(f competition.Fixture) []Kick {
	var kicks []Kick
	var taken, goals [2]int
	side := Side(f.Lot(2, lotFirstKick))
	for n := 0; !decided(taken, goals); n++ {
		t := &p.teams[side]
		scored := f.Lot(100, lotKick, uint64(n)) < 75
		if n >= mostKicks {
			scored = n%2 == 0
		}
		kicks = append(kicks, Kick{Side: side, Player: t.name(t.pitch[len(t.pitch)-1-n/2%len(t.pitch)]), Scored: scored})
		taken[side]++
		if scored {
			goals[side]++
		}
		side = side.Other()
	}
	period := p.script.Periods[len(p.script.Periods)-1]
	for n := range kicks {
		kicks[n].At = period.From + ((period.To - period.From) * time.Duration(n+1) / time.Duration(len(kicks)+1)).Truncate(time.Second)
	}
	return kicks
}

// decided reports whether a shoot-out is over.
func decided(taken, goals [2]int) bool {
	if max(taken[Home], taken[Away]) > kicksEach {
		return taken[Home] == taken[Away] && goals[Home] != goals[Away]
	}
	return goals[Home] > goals[Away]+kicksEach-taken[Away] || goals[Away] > goals[Home]+kicksEach-taken[Home]
}
