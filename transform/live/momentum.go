package live

import (
	"fmt"
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
	case !supplyOf(s.counters).any():
		return football.CountersNotProvided
	case s.observed < minObserved:
		return football.InsufficientSamples
	}
	return ""
}

func (s *State) reading() reading {
	r := reading{now: s.pressure, tau: s.tau, prior: supplyOf(s.counters).prior()}
	if s.clock.runs {
		age := int(s.age() / time.Second)
		r.now.decay(age)
		r.tau += age
	}
	red, _ := redCards(s.counters)
	r.men, r.sides = keeps(red), r.now.sides()
	for side := range r.sides {
		r.sides[side] = r.men[side].of(r.sides[side])
	}
	r.threat = r.now.threat.adds(r.sides, r.men, r.tau, r.prior)
	for side := range r.sides {
		r.sides[side] += r.threat[side]
	}
	return r
}

// Inputs returns the inputs of Momentum at the time of the last step.
func (s *State) Inputs() Inputs {
	r := s.reading()
	in := Inputs{Prior: float64(r.prior) / point, Observed: s.observed, Enough: minObserved, ThreatRule: r.now.threat.rule(r.tau, r.prior)}
	for side := range r.sides {
		in.Threat[side] = float64(r.threat[side]) / point
		in.Fast[side], in.Slow[side] = float64(r.now.fast[side])/point, float64(r.now.slow[side])/point
		in.Keeps[side], in.Pressure[side] = r.men[side].String(), float64(r.sides[side])/point
	}
	if red, known := redCards(s.counters); known {
		in.RedCards = fmt.Sprintf("%d-%d", red[0], red[1])
	}
	for _, m := range []football.Metric{football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners, football.Attacks, football.Possession} {
		if _, sent := counts(s.counters, m); sent {
			in.Supplied = append(in.Supplied, m)
		}
	}
	return in
}

// threatAfter returns the threat after a sample with the movement m; counted are the counters
// before it. A break has no threat.
func (s *State) threatAfter(m *movement, counted []football.Counter) threat {
	if s.clock.Phase.Half() == 0 && s.clock.Phase != football.NoPhase {
		return threat{}
	}
	return s.pressure.threat.after(m, counted, s.counters, s.tau)
}
