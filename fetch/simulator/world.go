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
	// reach is for how long before the announced ones a fixture may still
	// matter: late kick-offs, matches just over.
	reach = 8 * time.Hour
)

// World is a calendar of fixtures without beginning or end. What it says is a
// pure function of its options and the time asked for; it is safe for concurrent
// use.
type World struct {
	dice      dice
	teams     [][]Team // by league
	calendars []calendar
	pitches   *pitchCalendar
	oddities  Oddities
	start     time.Time
	frozen    []Span
	stages    *Cache[int64, *stage] // by fixture
}

// WorldOptions says what a world is made of.
type WorldOptions struct {
	Seed     uint64
	Fixtures int // announced at any time; below 1 is 1
	// InPlay is about how many matches are in play at any time, if the fixtures
	// announced are not enough for that; the others are announced an hour before
	// they start. 0 and less adds none.
	InPlay int
	// Matches, if any, are played again in place of those that InPlay adds: on
	// as many pitches, one match after the other on each, see MatchOffsets.
	Matches *Matches
	// MatchOffsets has one entry for each pitch: when its first match begins,
	// counted from Start, the first of all matches on the first pitch. Without,
	// the pitches are so many as InPlay, have been in use since ever, and the
	// same match is on at the same time whenever the world is made.
	MatchOffsets []time.Duration
	Start        time.Time
	// Oddities of the live feed; nil for the usual ones.
	Oddities *Oddities
	// Frozen are times in which the live feed as a whole stands still, counted
	// from Start, besides those of Oddities.
	Frozen []Span
}

// NewWorld returns the world of a seed with so many fixtures announced at any
// time, and no more in play than come of these.
func NewWorld(seed uint64, size int) *World {
	return MakeWorld(WorldOptions{Seed: seed, Fixtures: size})
}

// MakeWorld returns the world of some options.
func MakeWorld(o WorldOptions) *World {
	odd := usual()
	if o.Oddities != nil {
		odd = *o.Oddities
	}
	return &World{
		dice:      dice(o.Seed),
		teams:     teams(dice(o.Seed)),
		calendars: newCalendars(max(o.Fixtures, 1), o.InPlay, o.Matches != nil),
		pitches:   newPitchCalendar(o),
		oddities:  odd,
		start:     o.Start,
		frozen:    o.Frozen,
		stages:    NewCache[int64](1000+4*max(o.InPlay, 0)+o.Fixtures/8, one[*stage]),
	}
}

// Fixtures returns what a bookmaker's list of coming matches holds at a moment,
// by kick-off and then number: as many as the world's size that have yet to
// start, those announced late, and a few postponed, cancelled, withdrawn and
// finished ones that are still shown.
func (w *World) Fixtures(now time.Time) []Fixture {
	var list []Fixture
	for n, ahead := range w.numbers(now, reach) {
		if f := w.fixture(n, now); f.shown(now, ahead) {
			list = append(list, f)
		}
	}
	sortFixtures(list)
	return list
}

// Fixture returns one entry of the calendars, and whether it is known at that
// moment: announced, and over for no longer than a day.
func (w *World) Fixture(number int64, now time.Time) (Fixture, bool) {
	place, entry := placeOf(number)
	if place == pitches {
		if !w.pitches.known(entry, now) {
			return Fixture{}, false
		}
		f := w.fixture(number, now)
		return f, now.Sub(f.KickOff) < 24*time.Hour
	}
	for i := range w.calendars {
		if c := &w.calendars[i]; c.place == place && entry >= 0 && entry < c.next(now)+c.ahead {
			f := w.fixture(number, now)
			return f, now.Sub(f.KickOff) < 24*time.Hour
		}
	}
	return Fixture{}, false
}

// stage returns what happens in a fixture's match, made at the first question.
func (w *World) stage(f Fixture) *stage {
	return w.stages.Get(f.Number, func() *stage {
		if f.real != nil {
			return newStage(f, &f.real.script, metricsReal, w.oddities)
		}
		return newStage(f, perform(f), f.covered(), w.oddities)
	})
}
