package live

import (
	"time"

	"mkt/publish/football"
)

// enough is how many seconds of match clock must have been seen since the
// baseline: below, the leader jumps about.
const enough = 120

// Steps of the strength word: how far home is from 50.
const (
	slightLead = 4
	clearLead  = 8
	strongLead = 13
)

// Momentum is the number at the time of the last step, or the reason why there
// is none.
func (s *State) Momentum() football.Momentum {
	m := football.Momentum{Scope: football.ScopeFixture, FeedAge: s.age()}
	if m.Reason = s.unavailable(); m.Reason != "" {
		return m
	}
	now := s.pressure
	if s.clock.runs {
		now.decay(int(s.age() / time.Second))
	}
	m.Home = share(&now, supplyOf(s.counters).prior())
	m.Away = 100 - m.Home
	m.Leader, m.Strength = words(m.Home)
	return m
}

// age is how old the newest sample was at the last step.
func (s *State) age() time.Duration { return time.Duration(s.at-s.freshAt) * time.Millisecond }

// patience is how old the newest sample may become.
func (s *State) patience() time.Duration {
	if s.clock.runs {
		return StaleAfter
	}
	return StaleAtRest
}

// isStale tells whether the newest sample was too old at the last step.
func (s *State) isStale() bool { return s.age() > s.patience() }

func (s *State) unavailable() football.UnavailableReason {
	switch {
	case !s.InPlay() || s.clock.Phase == football.Shootout:
		return football.NotInPlay
	case s.isStale():
		return football.FeedStale
	case !supplyOf(s.counters).any():
		return football.CountersNotProvided
	case s.observed < enough:
		return football.InsufficientSamples
	}
	return ""
}

// share is home's part of 100, rounded half to even.
func share(p *pressure, prior int64) int {
	home, away := p.sides()
	part, whole := 100*(home+prior), home+away+2*prior
	n, rest := part/whole, 2*(part%whole)
	if rest > whole || rest == whole && n%2 == 1 {
		n++
	}
	return int(n)
}

func words(home int) (football.Leader, football.Strength) {
	lead := distance(home, 50)
	if lead < slightLead {
		return football.LeaderBalanced, football.StrengthNone
	}
	leader := football.LeaderHome
	if home < 50 {
		leader = football.LeaderAway
	}
	switch {
	case lead < clearLead:
		return leader, football.StrengthSlight
	case lead < strongLead:
		return leader, football.StrengthClear
	}
	return leader, football.StrengthStrong
}
