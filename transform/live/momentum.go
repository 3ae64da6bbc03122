package live

import (
	"time"

	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/momentum"
	"mkt/transform/live/rules"
)

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

// threatAfter returns the threat after a sample with the movement m; counted are the counters
// before it. A break has no threat.
func (s *State) threatAfter(m *counter.Movement, counted []football.Counter) momentum.Threat {
	if s.clock.IsBreak() {
		return momentum.Threat{}
	}
	return s.pressure.Threat.After(m, counted, s.counters.Newest, s.tau)
}
