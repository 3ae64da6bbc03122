package world

import (
	"time"

	"mkt/fetch/simulator/competition"
)

const (
	// horizon is how long before kick-off fixtures are announced.
	horizon = 4 * 24 * time.Hour
	grid    = 5 * time.Minute
)

// calendar is an endless sequence of fixtures, evenly spread in time. A world has up to
// three, and the pitches on which real matches are replayed. The first calendar has the
// fixture numbers from 0 on, the others share the negative ones.
type calendar struct {
	place int           // 0 to 2
	step  time.Duration // between two entries
	grid  time.Duration // kick-offs are rounded to it
	ahead int64         // number of entries announced before they start
	pool  competition.Pool
}

const (
	announced = iota // days ahead; every kind of league
	late             // an hour ahead: they keep enough matches in play
	consoles         // the same for eSoccer
	pitches          // real matches
)

// notice is how long before kick-off a fixture of the calendar late is announced.
const notice = time.Hour

// Number is the fixture number of an entry of a calendar.
func Number(place int, entry int64) int64 {
	if place == announced {
		return entry
	}
	return -(entry*4 + int64(place))
}

// PlaceOf is the inverse of Number.
func PlaceOf(number int64) (place int, entry int64) {
	if number >= 0 {
		return announced, number
	}
	if -number%4 == announced {
		return -1, 0 // no fixture has this number
	}
	return int(-number % 4), -number / 4
}

// newCalendars returns the calendars of a world that has size fixtures announced and
// inPlay in play.
func newCalendars(size, inPlay int, replay bool) []calendar {
	all := []calendar{{place: announced, step: max(horizon/time.Duration(size), time.Microsecond), grid: grid, ahead: int64(size), pool: pools[announced]}}
	if inPlay <= 0 || replay {
		return all
	}
	gamers := max(inPlay/12, 1)
	people := inPlay - gamers - int(shownFor/all[0].step)
	if people > 0 {
		all = append(all, shortNotice(late, shownFor/time.Duration(people), grid))
	}
	return append(all, shortNotice(consoles, 14*time.Minute/time.Duration(gamers), time.Minute))
}

// shownFor is roughly how long a match is in the in-play list.
const shownFor = 117 * time.Minute

func shortNotice(place int, step, grid time.Duration) calendar {
	return calendar{place: place, step: step, grid: grid, ahead: int64(notice/step) + 1, pool: pools[place]}
}

// slot is the scheduled kick-off of an entry, never earlier than that of the entry
// before.
func (c *calendar) slot(n int64) time.Time {
	return competition.Epoch.Add(time.Duration(n) * c.step).Truncate(c.grid)
}

// next returns the first entry whose slot is still to come.
func (c *calendar) next(now time.Time) int64 {
	n := max(int64(now.Sub(competition.Epoch)/c.step)-1, 0)
	for ; !c.slot(n).After(now); n++ {
	}
	return n
}

const maxPostponed = 2 * time.Hour

// pools are the leagues of each calendar but the pitches.
var pools = [...]competition.Pool{
	announced: competition.PoolOf(func(competition.Kind) bool { return true }),
	late:      competition.PoolOf(func(k competition.Kind) bool { return k != competition.Esoccer }),
	consoles:  competition.PoolOf(func(k competition.Kind) bool { return k == competition.Esoccer }),
}
