package simulator

import (
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

// meaning returns the world of a token, and its dialect as a [meant.Dialect]; ok is false for an
// unknown token and if recordings are served.
func (s *Server) meaning(token string) (w *world.World, d meant.Dialect, ok bool) {
	w = s.World(token)
	d, ok = s.dialect.(meant.Dialect)
	return w, d, ok && w != nil
}

// Listed returns the meaning of the list of fixtures now for a token, in its order; nil for
// an unknown token and if recordings are served.
func (s *Server) Listed(token string) []meant.Fixture {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	listed := (*world.World).Fixtures
	if l, ok := d.(meant.Lister); ok {
		listed = l.Listed
	}
	var all []meant.Fixture
	for _, f := range listed(w, s.Now().Truncate(time.Minute)) {
		all = append(all, meant.Fixture{
			ID: d.FixtureID(w, f), Home: f.Home.Name, Away: f.Away.Name, League: f.League.Name,
			KickOff: f.KickOff, Human: f.League.Human(), Over: f.Status > competition.InPlay,
		})
	}
	return all
}

// Meant returns the meaning of a fixture's markets now, see [meant.Dialect].
func (s *Server) Meant(token, fixture string) []meant.Market {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	n, ok := d.FixtureNumber(w, fixture)
	if !ok {
		return nil
	}
	o, ok := w.Offering(n, s.Now())
	if !ok {
		return nil
	}
	all := d.Markets(w, o)
	for i := range all {
		meant.DoubtLoneLines(all[i].Rows)
	}
	return all
}

// InPlay returns the meaning of the list of matches in play now for a token, in its order;
// nil for an unknown token and if recordings are served.
func (s *Server) InPlay(token string) []meant.Match {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	var all []meant.Match
	for _, m := range w.Live(s.Now()) {
		all = append(all, d.Playing(w, m))
	}
	return all
}

// Match returns a match before, during and up to a day after it; false if the fixture is
// not known.
func (s *Server) Match(token, fixture string) (meant.Match, bool) {
	w, d, ok := s.meaning(token)
	if !ok {
		return meant.Match{}, false
	}
	n, ok := d.FixtureNumber(w, fixture)
	if !ok {
		return meant.Match{}, false
	}
	f, ok := w.Fixture(n, s.Now())
	if !ok {
		return meant.Match{}, false
	}
	return d.Playing(w, w.Match(f)), true
}
