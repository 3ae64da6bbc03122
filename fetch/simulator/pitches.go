package simulator

import "time"

// pitchCalendar is the pitches on which real matches are replayed, one after the other on
// each. An entry is a pitch and a turn.
type pitchCalendar struct {
	matches *Matches
	begins  []time.Time // the first turn of each pitch
	first   []int64     // the entry's index, counted from the epoch
	endless bool        // the pitches have no first match
}

// turn is the time from one match to the next on a pitch. A match with extra time
// overlaps with the next, which does no harm.
const turn = 125 * time.Minute

func newPitchCalendar(o WorldOptions) *pitchCalendar {
	if o.Matches == nil {
		return &pitchCalendar{}
	}
	g := &pitchCalendar{matches: o.Matches}
	start, offsets := o.Start.UTC().Truncate(time.Second), o.MatchOffsets
	if len(offsets) == 0 {
		g.endless = true
		start, offsets = epoch, spread(max(o.InPlay, 1))
	}
	for _, offset := range offsets {
		begin := start.Add(offset)
		g.begins = append(g.begins, begin)
		g.first = append(g.first, int64(begin.Sub(epoch)/turn))
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

// fixture returns an entry as announced.
func (g *pitchCalendar) fixture(entry int64, d dice) Fixture {
	pitch, i := g.turnOf(entry)
	m := &g.matches.all[(i*int64(len(g.begins))+int64(pitch))%int64(len(g.matches.all))]
	whistle := g.begins[pitch].Add(time.Duration(i) * turn)
	return Fixture{
		Number: Number(pitches, entry), League: m.league, Home: m.home, Away: m.away,
		KickOff: whistle.Truncate(time.Minute), dice: d, real: m, begins: whistle,
	}
}

// replayed sets the status of a fixture of the pitches.
func (w *World) replayed(f Fixture, now time.Time) Fixture {
	w.progress(&f, now)
	return f
}
