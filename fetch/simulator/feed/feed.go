// Package feed is the live feed's report of matches ([Match.Sent]), with the errors of real
// feeds: counters are corrected, go missing, stand still. Beside it are the true events
// ([Match.Periods], [Match.Increments], [Match.Incidents], [Match.Minutes]), for tests.
package feed

import (
	"time"

	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/random"
)

// Feed is the live feed of a world, which has the errors of real feeds.
type Feed struct {
	dice     random.Dice
	oddities Oddities
	start    time.Time
	frozen   []Span
	undated  *cache.Cache[int64, *undated] // by fixture
}

// New returns the feed of a world. A nil o is the usual oddities. In the frozen times, counted from
// start, it stands still in addition. It caches about as many matches as kept says.
func New(d random.Dice, o *Oddities, start time.Time, frozen []Span, kept int) *Feed {
	odd := Usual()
	if o != nil {
		odd = *o
	}
	return &Feed{dice: d, oddities: odd, start: start, frozen: frozen, undated: cache.New[int64](kept, func(*undated) int { return 1 })}
}

// block is the interval in which the feed freezes once or not at all.
const block = 30 * time.Minute

// Time returns the moment that the feed reports: now, or the beginning of a
// freeze.
func (b *Feed) Time(now time.Time) time.Time {
	for _, s := range b.frozen {
		if at := now.Sub(b.start); s.holds(at) {
			return b.start.Add(s.From)
		}
	}
	began := now.Truncate(block)
	n := uint64(began.Unix())
	if b.dice.Unit(oddFrozen, n) >= b.oddities.Frozen {
		return now
	}
	from := began.Add(time.Duration(b.dice.Under(25*60, oddFrozen, n, 1)) * time.Second)
	to := from.Add(time.Duration(60+b.dice.Under(100, oddFrozen, n, 2)) * time.Second)
	if now.Before(from) || !now.Before(to) {
		return now
	}
	return from
}
