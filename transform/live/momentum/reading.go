package momentum

import (
	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Reading is the momentum of one moment, and the numbers behind it.
type Reading struct {
	now    Pressure // decayed to tau
	tau    int      // time of the reading, in seconds of match clock since kick-off
	men    [2]rules.Fraction
	threat [2]int64 // the addition of the threat to each side
	Sides  [2]int64 // the pressure of both sides, with men and the threat counted
	Prior  int64
}

// Read returns the momentum of a pressure at tau, age seconds of match clock later.
func Read(p Pressure, counters []football.Counter, tau, age int) Reading {
	r := Reading{now: p, tau: tau + age, Prior: priorOf(counter.SupplyOf(counters))}
	r.now.Decay(age)
	red, _ := redCards(counters)
	r.men, r.Sides = keeps(red), r.now.sides()
	for side := range r.Sides {
		r.Sides[side] = r.men[side].Of(r.Sides[side])
	}
	r.threat = r.now.Threat.adds(r.Sides, r.men, r.tau, r.Prior)
	for side := range r.Sides {
		r.Sides[side] += r.threat[side]
	}
	return r
}

// Share returns home's part of 100, rounded half to even. Because 100 is even, exchanging the two
// sides makes exactly 100 less it.
func Share(sides [2]int64, prior int64) int {
	part, whole := 100*(sides[0]+prior), sides[0]+sides[1]+2*prior
	n, rest := part/whole, 2*(part%whole)
	if rest > whole || rest == whole && n%2 == 1 {
		n++
	}
	return int(n)
}

// Lead returns the leader and its strength for home's part of 100.
func Lead(home int) (football.Leader, football.Strength) {
	lead := max(home-50, 50-home)
	if lead < rules.SlightLead {
		return football.LeaderBalanced, football.StrengthNone
	}
	leader := football.LeaderHome
	if home < 50 {
		leader = football.LeaderAway
	}
	switch {
	case lead < rules.ClearLead:
		return leader, football.StrengthSlight
	case lead < rules.StrongLead:
		return leader, football.StrengthClear
	}
	return leader, football.StrengthStrong
}
