package simulator

import "time"

// epoch is when the calendar of every world begins. A fixed one keeps a fixture
// and its numbers the same however often a simulator is started anew.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// horizon is how far ahead fixtures are announced.
	horizon = 4 * 24 * time.Hour
	// grid is what kick-offs are rounded to.
	grid = 5 * time.Minute
	// reach is how many calendar entries before and after the announced ones
	// may still matter: late kick-offs, matches just over.
	reach = 8 * time.Hour
)

// World is a calendar of fixtures without beginning or end. It is a pure
// function of its seed and size: safe for concurrent use, nothing in it changes.
type World struct {
	dice  dice
	size  int
	step  time.Duration // between two entries of the calendar
	teams [][]Team      // by league
}

// NewWorld returns the world of a seed with so many fixtures announced at any
// time. A size below 1 is 1.
func NewWorld(seed uint64, size int) *World {
	size = max(size, 1)
	return &World{
		dice:  dice(seed),
		size:  size,
		step:  max(horizon/time.Duration(size), time.Microsecond),
		teams: teams(dice(seed)),
	}
}

// Fixtures returns what a bookmaker's list of coming matches holds at a moment,
// by kick-off and then number: as many as the world's size that have yet to
// start, and a few postponed, cancelled, withdrawn and finished ones that are
// still shown.
func (w *World) Fixtures(now time.Time) []Fixture {
	first, next := w.window(now)
	list := make([]Fixture, 0, w.size+w.size/16)
	for n := first; n < next+int64(w.size); n++ {
		if f := w.fixture(n, now); f.shown(now, n >= next) {
			list = append(list, f)
		}
	}
	sortFixtures(list)
	return list
}

// Fixture returns one entry of the calendar, and whether it is known at that
// moment: announced, and over for no longer than a day.
func (w *World) Fixture(number int64, now time.Time) (Fixture, bool) {
	_, next := w.window(now)
	if number < 0 || number >= next+int64(w.size) {
		return Fixture{}, false
	}
	f := w.fixture(number, now)
	return f, now.Sub(f.KickOff) < 24*time.Hour
}

// window returns the first entry that may still be shown and the first that has
// yet to start by the calendar.
func (w *World) window(now time.Time) (first, next int64) {
	since := now.Sub(epoch)
	next = max(int64(since/w.step)-1, 0)
	for ; !w.slot(next).After(now); next++ {
	}
	return max(next-int64(reach/w.step)-2, 0), next
}

// slot is the calendar's own kick-off of an entry, never earlier than the one
// before.
func (w *World) slot(n int64) time.Time {
	return epoch.Add(time.Duration(n) * w.step).Truncate(grid)
}

// Lot gives a number in [0, n) that is the world's own.
func (w *World) Lot(n int, about ...uint64) int { return w.dice.under(n, about...) }
