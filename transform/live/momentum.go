package live

import (
	"time"

	"mkt/publish/football"
)

// Momentum returns the momentum at the time of the last step, or the reason for its absence.
func (s *State) Momentum() football.Momentum {
	m := football.Momentum{Scope: football.ScopeFixture, FeedAge: s.age()}
	if m.Reason = s.unavailable(); m.Reason != "" {
		return m
	}
	r := s.reading()
	m.Home = share(r.sides, r.prior)
	m.Away = 100 - m.Home
	m.Leader, m.Strength = lead(m.Home)
	return m
}

func (s *State) unavailable() football.UnavailableReason {
	switch {
	case !s.InPlay() || s.clock.Phase == football.Shootout:
		return football.NotInPlay
	case s.isStale():
		return football.FeedStale
	case !supplyOf(s.counters.newest).any():
		return football.CountersNotProvided
	case s.observed < minObserved:
		return football.InsufficientSamples
	}
	return ""
}

func (s *State) reading() reading {
	age := 0
	if s.clock.runs {
		age = int(s.age() / time.Second)
	}
	return read(s.pressure, s.counters.newest, s.tau, age)
}

// Inputs returns the inputs of Momentum at the time of the last step.
func (s *State) Inputs() Inputs { return inputsOf(s.reading(), s.counters.newest, s.observed) }

// threatAfter returns the threat after a sample with the movement m; counted are the counters
// before it. A break has no threat.
func (s *State) threatAfter(m *movement, counted []football.Counter) threat {
	if s.clock.isBreak() {
		return threat{}
	}
	return s.pressure.threat.after(m, counted, s.counters.newest, s.tau)
}
