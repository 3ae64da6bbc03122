package simulator

import "time"

// Feed is the live feed of a world, which has the errors of real feeds.
type Feed struct {
	dice     dice
	oddities Oddities
	start    time.Time
	frozen   []Span
	undated  *Cache[int64, *undated] // by fixture
}

// newFeed returns the feed of a world. Of o nil is the usual oddities; frozen are times in which the feed
// stands still in addition, counted from start; kept is how many matches are cached.
func newFeed(d dice, o *Oddities, start time.Time, frozen []Span, kept int) *Feed {
	odd := usual()
	if o != nil {
		odd = *o
	}
	return &Feed{dice: d, oddities: odd, start: start, frozen: frozen, undated: NewCache[int64](kept, func(*undated) int { return 1 })}
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
	if b.dice.unit(oddFrozen, n) >= b.oddities.Frozen {
		return now
	}
	from := began.Add(time.Duration(b.dice.under(25*60, oddFrozen, n, 1)) * time.Second)
	to := from.Add(time.Duration(60+b.dice.under(100, oddFrozen, n, 2)) * time.Second)
	if now.Before(from) || !now.Before(to) {
		return now
	}
	return from
}
