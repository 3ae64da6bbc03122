package live

import "mkt/publish/football"

// Live is the state as published, whole. The fixture has no id yet: it is minted
// from ProviderFixtureID.
func (s *State) Live() football.Live {
	l := s.Brief()
	l.Series, l.Periods = s.series(), s.periods()
	l.Timeline = s.published()
	return l
}

// Brief is the state as published without timeline, series and periods: what a
// fixture outside the detail set has.
func (s *State) Brief() football.Live {
	l := football.Live{
		Fixture: football.Fixture{Home: s.who.home, Away: s.who.away, League: s.who.league, StartsAt: s.who.startsAt,
			ProviderFixtureID: s.who.fixtureID, FetchedAt: utc(s.freshAt)},
		EventID: s.who.eventID, InPlay: s.InPlay(), At: utc(s.at),
		Clock: s.clock.Clock, Score: s.score, Momentum: s.Momentum(), Counters: s.counters, StaleAt: s.StaleAt(),
	}
	l.Visual = s.visual()
	return l
}
