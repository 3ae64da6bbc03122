package live

import "math"

// pressure has the inputs of momentum, home first.
type pressure struct {
	fast, slow [2]int64
	// held is percent × tau of possession at the last sample with possession.
	held    [2]int64
	hasHeld bool
	threat  threat
}

// pointsFor returns the points of both sides for a movement.
func pointsFor(m *movement, s supply) [2]int64 {
	var p [2]int64
	attack := 0
	switch {
	case !s.dangerous:
		attack = weightAttackNoDangerous
	case !s.possession:
		attack = weightAttackNoPossession
	}
	for side := range p {
		p[side] = int64(weightDangerous*m.dangerous[side] + weightShot*(m.onTarget[side]+m.offTarget[side]) +
			weightCorner*m.corners[side] + attack*m.attacks[side])
	}
	return p
}

// decay reduces the pressure for a number of seconds of match clock.
func (p *pressure) decay(seconds int) {
	for side := range p.fast {
		p.fast[side] = fade(p.fast[side], seconds, fastHalfLife, fastFactors)
		p.slow[side] = fade(p.slow[side], seconds, slowHalfLife, slowFactors)
	}
}

// add adds points, and the points of possession since the last sample with possession. Possession
// only counts in the slow part, because a percentage of the match so far says little about the
// last minutes.
func (p *pressure) add(points [2]int64, percent pair, sent bool, tau int) {
	for side := range points {
		p.fast[side] += points[side]
		p.slow[side] += points[side]
		if !sent {
			continue
		}
		held := int64(percent[side]) * int64(tau)
		if p.hasHeld {
			p.slow[side] += (held - p.held[side]) * possessionPoint / 100
		}
		p.held[side] = held
	}
	p.hasHeld = sent
	for side := range points {
		p.fast[side] = min(p.fast[side], most)
		p.slow[side] = max(-most, min(p.slow[side], most))
	}
}

// rest clears the fast part and the threat at the break between two halves, since they
// describe the last minutes of play.
func (p *pressure) rest() { p.fast, p.threat = [2]int64{}, threat{} }

// sides returns the pressure of both sides, without men and the threat.
func (p *pressure) sides() (sides [2]int64) {
	for i := range sides {
		sides[i] = max(0, p.fast[i]) + max(0, p.slow[i])/slowShare
	}
	return sides
}

// Factors of decay for the seconds of one half-life, in 2^-32.
var (
	fastFactors = factors(fastHalfLife)
	slowFactors = factors(slowHalfLife)
)

func factors(halfLife int) []int64 {
	f := make([]int64, halfLife)
	for i := range f {
		f[i] = int64(math.Round(math.Exp2(-float64(i)/float64(halfLife)) * (1 << 32)))
	}
	return f
}

// fade returns v, at most 2^31, after a number of seconds with a half-life.
func fade(v int64, seconds, halfLife int, factors []int64) int64 {
	if halvings := seconds / halfLife; halvings < 40 {
		return v * factors[seconds%halfLife] >> 32 >> halvings
	}
	return 0
}

// priorOf returns the addition to both sides' pressure. It keeps momentum near 50 after a short
// observation.
func priorOf(s supply) int64 {
	if s.dangerous && s.possession {
		return priorFull
	}
	return priorThin
}
