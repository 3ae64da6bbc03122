package emulator

import "mkt/fetch/simulator"

// MeantMatch is one match of the in-play list as the simulator meant it: its
// ids, and with simulator.Match all that truly happens in it and all that is
// sent, second by second.
//
//	sent := m.Sent(now)                                   // what an answer at now holds
//	n, state := sent.Value(simulator.Corners, simulator.Home)
//	for _, minute := range m.Minutes() { … }              // what truly happened
type MeantMatch struct {
	FI, EventID string
	// What the records of this match are without: the bookmaker's id, the clock,
	// the timeline.
	WithoutFI, WithoutTimer, WithoutTimeline bool
	simulator.Match
}

// InPlay returns what the in-play list of a token's world means now, in its
// order; nil for an unknown token and over recordings.
func (e *Emulator) InPlay(token string) []MeantMatch {
	w := e.World(token)
	if w == nil || e.replayed {
		return nil
	}
	var all []MeantMatch
	for _, m := range w.Live(e.Now()) {
		all = append(all, meantMatch(w, m))
	}
	return all
}

// Match returns the match of a fixture by its FI, before, during and up to a
// day after it; false when nobody knows it.
func (e *Emulator) Match(token, fixture string) (MeantMatch, bool) {
	w := e.World(token)
	if w == nil || e.replayed {
		return MeantMatch{}, false
	}
	n, ok := fixtureNumber(w, fixture)
	if !ok {
		return MeantMatch{}, false
	}
	f, ok := w.Fixture(n, e.Now())
	if !ok {
		return MeantMatch{}, false
	}
	return meantMatch(w, w.Match(f)), true
}

func meantMatch(w *simulator.World, m simulator.Match) MeantMatch {
	return MeantMatch{
		FI: fixtureID(w, m.Fixture), EventID: eventID(m.Fixture), Match: m,
		WithoutFI: !hasFI(m.Fixture), WithoutTimer: !hasTimer(m.Fixture), WithoutTimeline: !hasTimeline(m.Fixture),
	}
}

// hasFI reports whether the live family knows the bookmaker's id.
func hasFI(f simulator.Fixture) bool { return f.Lot(80, oddNoFI) != 0 || f.Replayed() }

func hasTimer(f simulator.Fixture) bool { return f.Lot(80, oddNoTimer) != 0 || f.Replayed() }

func hasTimeline(f simulator.Fixture) bool { return f.Lot(9, oddNoEvents) != 0 || f.Replayed() }
