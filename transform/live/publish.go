package live

import (
	"mkt/publish/football"
	"mkt/transform/live/clock"
)

// Live returns the whole state as it is published. The fixture has no id yet: it is
// minted from ProviderFixtureID.
func (s *State) Live() football.Live {
	l := s.Brief()
	l.Series, l.Periods = s.minutes.Series(&s.clock), s.minutes.Periods(&s.clock)
	l.Timeline = s.timeline.Published()
	return l
}

// Brief returns the state as it is published for a fixture outside the detail set:
// without timeline, series and periods.
func (s *State) Brief() football.Live {
	l := football.Live{
		Fixture: football.Fixture{Home: s.who.home, Away: s.who.away, League: s.who.league, StartsAt: s.who.startsAt,
			ProviderFixtureID: s.who.fixtureID, FetchedAt: clock.UTC(s.freshAt)},
		EventID: s.who.eventID, InPlay: s.InPlay(), At: clock.UTC(s.at),
		Clock: s.clock.Clock, Score: s.counters.Score, Momentum: s.Momentum(), Counters: s.counters.Newest, StaleAt: s.StaleAt(),
	}
	l.Visual = s.timeline.Visual()
	return l
}
