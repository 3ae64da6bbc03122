package simulator

import (
	"slices"
	"time"
)

// epoch is when the calendar of every world begins. It is fixed so that a fixture keeps
// its number whenever a simulator is started.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// horizon is how long before kick-off fixtures are announced.
	horizon = 4 * 24 * time.Hour
	grid    = 5 * time.Minute
	// reach is how far back fixtures may still matter: late kick-offs, matches just over.
	reach = 8 * time.Hour
)

// World is an endless calendar of fixtures. It is a pure function of its options and the
// time; it is safe for concurrent use.
type World struct {
	dice      dice
	size      int
	teams     [][]Team // by league
	calendars []calendar
	pitches   *pitchCalendar
	oddities  Oddities
	start     time.Time
	frozen    []Span
	stages    *Cache[int64, *stage]            // by fixture
	paired    *Cache[int64, map[int64]pairing] // by day since the epoch
}

// WorldOptions configures a world.
type WorldOptions struct {
	Seed     uint64
	Fixtures int // announced at any time; below 1 is 1
	// InPlay is about how many matches are in play at any time; if the announced fixtures
	// are not enough, more are announced an hour before they start. 0 and less adds none.
	InPlay int
	// Matches, if set, are replayed in place of those that InPlay adds, one after the
	// other on each pitch, see MatchOffsets.
	Matches *Matches
	// MatchOffsets is when the first match of each pitch begins, counted from Start. The
	// first pitch begins with the first match of all. If empty there are InPlay pitches
	// without a first match, and the same match is in play at the same time whenever the
	// world is created.
	MatchOffsets []time.Duration
	Start        time.Time
	// Oddities of the live feed; nil is the usual ones.
	Oddities *Oddities
	// Frozen are times in which the whole live feed stands still, counted from Start, in
	// addition to those of Oddities.
	Frozen []Span
}

// NewWorld returns the world of a seed with size fixtures announced at any time, and no
// additional ones in play.
func NewWorld(seed uint64, size int) *World {
	return MakeWorld(WorldOptions{Seed: seed, Fixtures: size})
}

// MakeWorld returns a world with options.
func MakeWorld(o WorldOptions) *World {
	odd := usual()
	if o.Oddities != nil {
		odd = *o.Oddities
	}
	return &World{
		dice:      dice(o.Seed),
		size:      o.Fixtures,
		teams:     teams(dice(o.Seed)),
		calendars: newCalendars(max(o.Fixtures, 1), o.InPlay, o.Matches != nil),
		pitches:   newPitchCalendar(o),
		oddities:  odd,
		start:     o.Start,
		frozen:    o.Frozen,
		stages:    NewCache[int64](1000+4*max(o.InPlay, 0)+o.Fixtures/8, one[*stage]),
		paired:    NewCache[int64](10, one[map[int64]pairing]), // days: those announced, and some before
	}
}

// Size returns about how many fixtures are announced at any time.
func (w *World) Size() int { return w.size }

// Fixtures returns a bookmaker's list of coming matches at a moment, by kick-off and then
// number: as many fixtures still to start as the world's size, those announced late, and
// a few postponed, cancelled, withdrawn and finished ones that are still shown.
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

// Football returns the fixtures that people play: those of Fixtures and those in play,
// each once, by kick-off. It is the list of a provider without eSoccer.
func (w *World) Football(now time.Time) []Fixture {
	all := w.Fixtures(now)
	for _, m := range w.Live(now) {
		all = append(all, m.Fixture)
	}
	sortFixtures(all)
	all = slices.CompactFunc(all, func(a, b Fixture) bool { return a.Number == b.Number })
	return slices.DeleteFunc(all, func(f Fixture) bool { return !f.League.Human() })
}

// Fixture returns a fixture by number, and whether it is known at that moment: announced,
// and over for no longer than a day.
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

func (w *World) stage(f Fixture) *stage {
	return w.stages.Get(f.Number, func() *stage {
		if f.real != nil {
			return newStage(f, &f.real.script, metricsReal, w.oddities)
		}
		return newStage(f, perform(f), f.covered(), w.oddities)
	})
}
