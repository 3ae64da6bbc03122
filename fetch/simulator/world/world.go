// Package world is an endless calendar of fixtures: a fixed number is announced at any time;
// they start, end, are called off or postponed, and new ones are announced as time passes.
package world

import (
	"iter"
	"slices"
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/random"
)

// World is an endless calendar of fixtures. It is a pure function of its options and the
// time; it is safe for concurrent use.
type World struct {
	dice      random.Dice
	size      int
	calendars []calendar
	pairings  *pairings
	pitches   *pitchCalendar
	feed      *feed.Feed
	start     time.Time
	opening   int
}

// Options configures a world.
type Options struct {
	Seed     uint64
	Fixtures int // announced at any time; below 1 is 1
	// InPlay is about how many matches are in play at any time; if the announced fixtures
	// are not enough, more are announced an hour before they start. 0 and less adds none.
	InPlay int
	// Matches, if set, are replayed in place of those that InPlay adds, one after the
	// other on each pitch, see MatchOffsets.
	Matches *play.Matches
	// MatchOffsets is when the first match of each pitch begins, counted from Start. The
	// first pitch begins with the first match of all. If empty there are InPlay pitches
	// without a first match, and the same match is in play at the same time whenever the
	// world is created.
	MatchOffsets []time.Duration
	Start        time.Time
	// Opening is how many fixtures are announced at Start; the others are from the next minute on. 0: all at once.
	Opening int
	// Oddities of the live feed; nil is the usual ones.
	Oddities *feed.Oddities
	// Frozen are times in which the whole live feed stands still, counted from Start, in
	// addition to those of Oddities.
	Frozen []feed.Span
}

// New returns a world with options.
func New(o Options) *World {
	all := newCalendars(max(o.Fixtures, 1), o.InPlay, o.Matches != nil)
	return &World{
		dice:      random.Dice(o.Seed),
		size:      o.Fixtures,
		calendars: all,
		pairings:  newPairings(random.Dice(o.Seed), all),
		start:     o.Start,
		opening:   o.Opening,
		pitches:   newPitchCalendar(o.Matches, o.InPlay, o.Start, o.MatchOffsets),
		feed:      feed.New(random.Dice(o.Seed), o.Oddities, o.Start, o.Frozen, 1000+4*max(o.InPlay, 0)+o.Fixtures/8),
	}
}

// Size returns about how many fixtures are announced at any time.
func (w *World) Size() int { return w.size }

// FeedTime returns the moment that the live feed reports, see [feed.Feed.Time].
func (w *World) FeedTime(now time.Time) time.Time { return w.feed.Time(now) }

// numbers yields the fixtures whose slot is at most back ago, and those announced; the
// bool reports whether the slot is still to come.
func (w *World) numbers(now time.Time, back time.Duration) iter.Seq2[int64, bool] {
	return func(yield func(int64, bool) bool) {
		for i := range w.calendars {
			c := &w.calendars[i]
			next, ahead := c.next(now), c.ahead
			if c.place == announced && w.opening > 0 && !now.Truncate(time.Minute).After(w.start) {
				ahead = min(ahead, int64(w.opening))
			}
			for n := max(next-int64((back+maxPostponed)/c.step)-2, 0); n < next+ahead; n++ {
				if !yield(Number(c.place, n), n >= next) {
					return
				}
			}
		}
		w.pitches.numbers(now, back, yield)
	}
}

// fixture returns the fixture with a number, at a moment.
func (w *World) fixture(n int64, now time.Time) competition.Fixture {
	d := random.Dice(w.dice.Of(uint64(n), 1))
	place, entry := PlaceOf(n)
	if place == pitches {
		f := w.pitches.fixture(entry, d)
		w.progress(&f, now)
		return f
	}
	var c *calendar
	for i := range w.calendars {
		if w.calendars[i].place == place {
			c = &w.calendars[i]
		}
	}
	l := c.pool.At(d.Under(c.pool.Sum, 2))
	f := competition.Fixture{Number: n, League: l, KickOff: c.slot(entry), Dice: d}
	f.Home, f.Away = w.pairings.sides(c, entry, l)
	w.applyLots(&f, now)
	if f.Namesake() {
		f.Away.Players = slices.Clone(f.Away.Players)
		f.Away.Players[1] = f.Home.Players[1]
	}
	return f
}

// applyLots applies the changes to the fixture that its lots hold: about one in forty is
// called off on its last day, one in fifty starts later than announced.
func (w *World) applyLots(f *competition.Fixture, now time.Time) {
	notice := f.KickOff.Add(-time.Duration(f.Lot(20*60, 21)) * time.Minute)
	known := !now.Before(notice)
	switch lot := f.Lot(1000, 22); {
	case lot < 15 && known:
		f.Status = competition.Postponed
	case lot >= 15 && lot < 20 && known:
		f.Status = competition.Cancelled
	case lot >= 20 && lot < 25 && known:
		f.Status = competition.Withdrawn
	case lot >= 25 && lot < 45 && known:
		f.KickOff = f.KickOff.Add(time.Duration(1+f.Lot(12, 23)) * 10 * time.Minute)
		f.Moved = true
	}
	w.progress(f, now)
}

func (w *World) progress(f *competition.Fixture, now time.Time) {
	if f.Status != competition.NotStarted || now.Before(f.KickOff) {
		return
	}
	f.Status = competition.InPlay
	if now.Sub(f.KickOff) > liveReach || !now.Before(w.over(*f)) {
		f.Status = competition.Ended
	}
}

// liveReach is longer than any match: extra time, a shoot-out, lingering.
const liveReach = 200 * time.Minute

// over returns when the fixture is reported to have ended. Only for a cup tie does this
// need the match to be played.
func (w *World) over(f competition.Fixture) time.Time {
	if end, known := play.Planned(f); known && !f.Replayed() {
		return feed.Over(f, end)
	}
	return w.Match(f).Over
}

// Match returns a fixture's match. Everything in it is known before it is played; the
// feed reports it as time passes. The match of a fixture that was called off is never
// shown.
func (w *World) Match(f competition.Fixture) feed.Match {
	return w.feed.Match(f, func() *play.Script {
		if f.Replayed() {
			_, entry := PlaceOf(f.Number)
			return &w.pitches.match(entry).Script
		}
		return play.Perform(f)
	})
}
