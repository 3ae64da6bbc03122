package simulator

import (
	"cmp"
	"slices"
	"time"
)

// Match is a fixture with everything that happens in it and when the feed reports it.
type Match struct {
	Fixture Fixture
	Whistle time.Time // the true kick-off, a little after the one announced
	Opens   time.Time // when the in-play list first has it
	Over    time.Time // when the feed reports its end, a little after the last whistle
	Leaves  time.Time // when the in-play list no longer has it
	world   *World
	*stage
}

// stage is the cached part of a match: everything but its date.
type stage struct {
	*script
	*feedErrors
	reported []Reported
}

// Reported is an incident as the feed's timeline has it.
type Reported struct {
	Incident
	Clock     Clock         // when it happened
	Appears   time.Duration // when the entry is written, after the kick-off whistle
	Withdrawn time.Duration // when it is removed; 0 for most
}

func newStage(f Fixture, s *script, covered metricSet, o Oddities) *stage {
	st := &stage{script: s, feedErrors: planErrors(f, s, covered, o)}
	for i, incident := range s.incidents {
		delay := time.Duration(1+f.Lot(14, 72, uint64(i))) * time.Second
		st.reported = append(st.reported, Reported{Incident: incident, Clock: playedAt(s.periods, incident.At), Appears: incident.At.Truncate(time.Second) + delay})
	}
	for _, r := range st.retracted {
		st.reported = append(st.reported, Reported{Incident: r.Incident, Clock: playedAt(s.periods, r.At), Appears: r.At + 2*time.Second, Withdrawn: r.withdrawn})
	}
	slices.SortStableFunc(st.reported, func(a, b Reported) int { return cmp.Compare(a.Appears, b.Appears) })
	return st
}

// Match returns a fixture's match. Everything in it is known before it is played; the
// feed reports it as time passes. The match of a fixture that was called off is never
// shown.
func (w *World) Match(f Fixture) Match {
	return w.dated(f, w.stage(f))
}

func (w *World) dated(f Fixture, st *stage) Match {
	whistle := f.whistle()
	over := whistle.Add(st.end() + f.confirmed())
	return Match{
		Fixture: f, Whistle: whistle, Over: over, world: w, stage: st,
		Opens:  f.KickOff.Add(-f.opening()),
		Leaves: over.Add(f.lingering()),
	}
}

// whistle is the true kick-off, up to two minutes late.
func (f Fixture) whistle() time.Time {
	switch {
	case f.real != nil:
		return f.begins
	case f.League.Kind == Esoccer:
		return f.KickOff.Add(time.Duration(f.Lot(20, 73)) * time.Second)
	}
	return f.KickOff.Add(time.Duration(5+f.Lot(140, 73)) * time.Second)
}

// opening is how long before the announced kick-off the in-play list has the match.
func (f Fixture) opening() time.Duration { return time.Duration(f.Lot(300, 74)) * time.Second }

// confirmed is how long the feed takes to report the last whistle.
func (f Fixture) confirmed() time.Duration {
	if f.League.Kind == Esoccer {
		return time.Duration(4+f.Lot(20, 75)) * time.Second
	}
	return time.Duration(20+f.Lot(130, 75)) * time.Second
}

// lingering is how long an ended match stays in the list; one in three leaves at once.
func (f Fixture) lingering() time.Duration {
	if f.Lot(3, 76) == 0 {
		return 0
	}
	return time.Duration(30+f.Lot(300, 77)) * time.Second
}

// Live returns the in-play list at a moment, by kick-off and then number: matches about
// to begin, in play, and just over. During a freeze it returns the list as it was at its
// beginning.
func (w *World) Live(now time.Time) []Match {
	now = w.FeedTime(now)
	var all []Match
	for n := range w.numbers(now, liveReach) {
		f := w.fixture(n, now)
		if f.Status == Postponed || f.Status == Cancelled || f.Status == Withdrawn || now.Before(f.KickOff.Add(-f.opening())) || now.After(f.KickOff.Add(liveReach)) {
			continue
		}
		if m := w.Match(f); now.Before(m.Leaves) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Match) int {
		return cmp.Or(a.Fixture.KickOff.Compare(b.Fixture.KickOff), cmp.Compare(a.Fixture.Number, b.Fixture.Number))
	})
	return all
}

// liveReach is longer than any match: extra time, a shoot-out, lingering.
const liveReach = 200 * time.Minute
