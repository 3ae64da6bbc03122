package world

import (
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/random"
)

// pitchCalendar is the pitches on which real matches are replayed, one after the other on
// each. An entry is a pitch and a turn.
type pitchCalendar struct {
	matches *play.Matches
	begins  []time.Time // the first turn of each pitch
	first   []int64     // the entry's index, counted from the epoch
	endless bool        // the pitches have no first match
}

// turn is the time from one match to the next on a pitch. A match with extra time
// overlaps with the next, which does no harm.
const turn = 125 * time.Minute

// newPitchCalendar returns the pitches for matches, none if it is nil. The first match of each begins at an
// offset from start; without offsets there are n pitches without a first match.
func newPitchCalendar(matches *play.Matches, n int, start time.Time, offsets []time.Duration) *pitchCalendar {
	if matches == nil {
		return &pitchCalendar{}
	}
	g := &pitchCalendar{matches: matches}
	start = start.UTC().Truncate(time.Second)
	if len(offsets) == 0 {
		g.endless = true
		start, offsets = competition.Epoch, spread(max(n, 1))
	}
	for _, offset := range offsets {
		begin := start.Add(offset)
		g.begins = append(g.begins, begin)
		g.first = append(g.first, int64(begin.Sub(competition.Epoch)/turn))
	}
	return g
}

// spread distributes the beginnings of n pitches evenly over a turn.
func spread(n int) []time.Duration {
	offsets := make([]time.Duration, n)
	for i := range offsets {
		offsets[i] = (turn * time.Duration(i) / time.Duration(n)).Truncate(time.Second)
	}
	return offsets
}

// numbers yields the fixtures of the pitches, see World.numbers.
func (g *pitchCalendar) numbers(now time.Time, back time.Duration, yield func(int64, bool) bool) {
	for pitch, begin := range g.begins {
		from := max(int64(now.Add(-back).Sub(begin)/turn), 0)
		for i := from; ; i++ {
			whistle := begin.Add(time.Duration(i) * turn)
			if whistle.After(now.Add(notice)) {
				break
			}
			if !yield(Number(pitches, g.entry(pitch, i)), whistle.After(now)) {
				return
			}
		}
	}
}

// entry returns the entry of a pitch's i-th match, from 0.
func (g *pitchCalendar) entry(pitch int, i int64) int64 {
	return (g.first[pitch]+i)*int64(len(g.begins)) + int64(pitch)
}

func (g *pitchCalendar) turnOf(entry int64) (pitch int, i int64) {
	n := int64(len(g.begins))
	pitch = int(entry % n)
	return pitch, entry/n - g.first[pitch]
}

// known reports whether an entry has been announced.
func (g *pitchCalendar) known(entry int64, now time.Time) bool {
	if len(g.begins) == 0 {
		return false
	}
	pitch, i := g.turnOf(entry)
	return i >= 0 && !g.begins[pitch].Add(time.Duration(i)*turn).After(now.Add(notice))
}

// match returns the match of an entry.
func (g *pitchCalendar) match(entry int64) *play.RealMatch {
	pitch, i := g.turnOf(entry)
	return g.matches.At(i*int64(len(g.begins)) + int64(pitch))
}

// fixture returns an entry as announced.
func (g *pitchCalendar) fixture(entry int64, d random.Dice) competition.Fixture {
	pitch, i := g.turnOf(entry)
	m := g.match(entry)
	whistle := g.begins[pitch].Add(time.Duration(i) * turn)
	return competition.Fixture{
		Number: Number(pitches, entry), League: m.League, Home: m.Home, Away: m.Away,
		KickOff: whistle.Truncate(time.Minute), Dice: d, Begins: whistle,
	}
}
