package simulator

import (
	"iter"
	"time"
)

// calendar is one sequence of fixtures without beginning or end, evenly spread
// in time. A world has up to three and the pitches on which real matches are
// played again. They share the numbers of fixtures: the first has those from 0
// on, the others the negative ones.
type calendar struct {
	place int           // 0 to 2
	step  time.Duration // between two entries
	grid  time.Duration // what kick-offs are rounded to
	ahead int64         // entries announced before they start
	pool  pool
}

// Calendars by place.
const (
	announced = iota // days ahead; every kind of league
	late             // an hour ahead: what keeps enough matches in play
	consoles         // the same for eSoccer
	pitches          // real matches
)

// notice is how far ahead late fixtures are announced.
const notice = time.Hour

// Number is the fixture number of an entry of a calendar.
func Number(place int, entry int64) int64 {
	if place == announced {
		return entry
	}
	return -(entry*4 + int64(place))
}

// Place is the way back: which calendar, and which entry of it.
func (f Fixture) Place() (place int, entry int64) { return placeOf(f.Number) }

func placeOf(number int64) (place int, entry int64) {
	if number >= 0 {
		return announced, number
	}
	if -number%4 == announced {
		return -1, 0 // nobody has such a number
	}
	return int(-number % 4), -number / 4
}

// newCalendars returns a world's calendars: so many announced, and so many in play.
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

// shownFor is how long a match is in the in-play list, about.
const shownFor = 117 * time.Minute

func shortNotice(place int, step, grid time.Duration) calendar {
	return calendar{place: place, step: step, grid: grid, ahead: int64(notice/step) + 1, pool: pools[place]}
}

// slot is the calendar's own kick-off of an entry, never earlier than the one
// before.
func (c *calendar) slot(n int64) time.Time {
	return epoch.Add(time.Duration(n) * c.step).Truncate(c.grid)
}

// next returns the first entry that has yet to start by the calendar.
func (c *calendar) next(now time.Time) int64 {
	n := max(int64(now.Sub(epoch)/c.step)-1, 0)
	for ; !c.slot(n).After(now); n++ {
	}
	return n
}

// numbers goes through the fixtures that began, by their calendars, no longer
// ago than back, and those announced, and says whether they are ahead.
func (w *World) numbers(now time.Time, back time.Duration) iter.Seq2[int64, bool] {
	return func(yield func(int64, bool) bool) {
		for i := range w.calendars {
			c := &w.calendars[i]
			next := c.next(now)
			for n := max(next-int64((back+moved)/c.step)-2, 0); n < next+c.ahead; n++ {
				if !yield(Number(c.place, n), n >= next) {
					return
				}
			}
		}
		w.pitches.numbers(now, back, yield)
	}
}

// moved is the most by which a kick-off is moved.
const moved = 2 * time.Hour

// pool is the leagues that a calendar draws from, by weight.
type pool struct {
	leagues []League
	weights []int
	sum     int
}

var pools = [...]pool{
	announced: poolOf(func(Kind) bool { return true }),
	late:      poolOf(func(k Kind) bool { return k != Esoccer }),
	consoles:  poolOf(func(k Kind) bool { return k == Esoccer }),
}

func poolOf(in func(Kind) bool) (p pool) {
	for i, c := range competitions {
		if in(c.kind) {
			p.leagues, p.weights, p.sum = append(p.leagues, league(i)), append(p.weights, c.weight), p.sum+c.weight
		}
	}
	return p
}

// at spreads the leagues by weight over [0, sum).
func (p *pool) at(at int) League {
	for i, weight := range p.weights {
		if at -= weight; at < 0 {
			return p.leagues[i]
		}
	}
	return p.leagues[0]
}
