package live

import "mkt/publish/football"

type reading struct {
	now    pressure // decayed to tau
	tau    int      // time of the reading, in seconds of match clock since kick-off
	men    [2]keptPart
	threat [2]int64 // the addition of the threat to each side
	sides  [2]int64 // the pressure of both sides, with men and the threat counted
	prior  int64
}

// read returns the momentum of a pressure at tau, age seconds of match clock later.
func read(p pressure, counters []football.Counter, tau, age int) reading {
	r := reading{now: p, tau: tau + age, prior: priorOf(supplyOf(counters))}
	r.now.decay(age)
	red, _ := redCards(counters)
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
