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

func (s *State) age() time.Duration { return time.Duration(s.at-s.freshAt) * time.Millisecond }

func (s *State) maxAge() time.Duration {
	if s.clock.runs {
		return StaleAfter + s.clock.patience()
	}
	return StaleAtRest
}

func (s *State) isStale() bool { return s.age() > s.maxAge() }

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

type reading struct {
	now    pressure // decayed to tau
	tau    int      // time of the reading, in seconds of match clock since kick-off
	men    [2]keptPart
	threat [2]int64 // the addition of the threat to each side
	sides  [2]int64 // the pressure of both sides, with men and the threat counted
	prior  int64
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

// share returns home's part of 100, rounded half to even. Because 100 is even, exchanging the two
// sides makes exactly 100 less it.
func share(sides [2]int64, prior int64) int {
	part, whole := 100*(sides[0]+prior), sides[0]+sides[1]+2*prior
	n, rest := part/whole, 2*(part%whole)
	if rest > whole || rest == whole && n%2 == 1 {
		n++
	}
	return int(n)
}

func lead(home int) (football.Leader, football.Strength) {
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
