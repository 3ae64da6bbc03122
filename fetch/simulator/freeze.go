package simulator

import "time"

// block is the interval in which the feed freezes once or not at all.
const block = 30 * time.Minute

// FeedTime returns the moment that the live feed reports: now, or the beginning of a
// freeze.
func (w *World) FeedTime(now time.Time) time.Time {
	for _, s := range w.frozen {
		if at := now.Sub(w.start); s.holds(at) {
			return w.start.Add(s.From)
		}
	}
	began := now.Truncate(block)
	n := uint64(began.Unix())
	if w.dice.unit(oddFrozen, n) >= w.oddities.Frozen {
		return now
	}
	from := began.Add(time.Duration(w.dice.under(25*60, oddFrozen, n, 1)) * time.Second)
	to := from.Add(time.Duration(60+w.dice.under(100, oddFrozen, n, 2)) * time.Second)
	if now.Before(from) || !now.Before(to) {
		return now
	}
	return from
}
