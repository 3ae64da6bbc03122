package live

import (
	"time"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/momentum"
	"mkt/transform/live/rules"
)

// Live returns the whole state as it is published. The fixture has no id yet: it is
// minted from ProviderFixtureID.
func (s *State) Live() football.Live {
	l := s.Brief()
	l.Series, l.Periods = s.minutes.Series(&s.clock), s.minutes.Periods(&s.clock)
	return l
}

// Brief returns the state without series and periods. A fixture outside the detail set is published
// without its timeline, too.
func (s *State) Brief() football.Live {
	l := football.Live{
		Fixture: football.Fixture{Home: s.who.home, Away: s.who.away, League: s.who.league, StartsAt: s.who.startsAt,
			ProviderFixtureID: s.who.fixtureID, FetchedAt: clock.UTC(s.freshAt)},
		EventID: s.who.eventID, InPlay: s.InPlay(), At: clock.UTC(s.at),
		Clock: s.clock.Clock, Score: s.counters.Score, Momentum: s.Momentum(), Counters: s.counters.Newest, StaleAt: s.StaleAt(),
	}
	l.Visual, l.Timeline = s.timeline.Visual(), s.timeline.Published()
	return l
}

// Momentum returns the momentum at the time of the last step, or the reason for its absence.
func (s *State) Momentum() football.Momentum {
	m := football.Momentum{Scope: football.ScopeFixture, FeedAge: s.age()}
	if m.Reason = s.unavailable(); m.Reason != "" {
		return m
	}
	r := s.reading()
	m.Home = momentum.Share(r.Sides, r.Prior)
	m.Away = 100 - m.Home
	m.Leader, m.Strength = momentum.Lead(m.Home)
	return m
}

func (s *State) unavailable() football.UnavailableReason {
	switch {
	case !s.InPlay() || s.clock.Phase == football.Shootout:
		return football.NotInPlay
	case s.isStale():
		return football.FeedStale
	case !counter.SupplyOf(s.counters.Newest).Any():
		return football.CountersNotProvided
	case s.observed < rules.MinObserved:
		return football.InsufficientSamples
	}
	return ""
}

func (s *State) reading() momentum.Reading {
	age := 0
	if s.clock.Runs {
		age = int(s.age() / time.Second)
	}
	return momentum.Read(s.pressure, s.counters.Newest, s.tau, age)
}

// Inputs returns the inputs of Momentum at the time of the last step.
func (s *State) Inputs() momentum.Inputs {
	return momentum.InputsOf(s.reading(), s.counters.Newest, s.observed)
}
