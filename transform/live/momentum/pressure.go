// Package momentum computes the momentum of a fixture from the movement of its counters: pressure,
// which fades, an attack under way, and the players that a side is short of. It computes with
// integers alone.
//
// Source: docs/momentum.md.
package momentum

import (
	"math"

	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Pressure has the inputs of momentum, home first.
type Pressure struct {
	Fast, slow [2]int64
	// held is percent × tau of possession at the last sample with possession.
	held    [2]int64
	HasHeld bool
	Threat  Threat
}

// Points returns the points of both sides for a movement.
func Points(m *counter.Movement, s counter.Supply) [2]int64 {
	var p [2]int64
	attack := 0
	switch {
	case !s.Dangerous:
		attack = rules.WeightAttackNoDangerous
	case !s.Possession:
		attack = rules.WeightAttackNoPossession
	}
	for side := range p {
		p[side] = int64(rules.WeightDangerous*m.Dangerous[side] + rules.WeightShot*(m.OnTarget[side]+m.OffTarget[side]) +
			rules.WeightCorner*m.Corners[side] + attack*m.Attacks[side])
	}
	return p
}

// Decay reduces the pressure for a number of seconds of match clock.
func (p *Pressure) Decay(seconds int) {
	for side := range p.Fast {
		p.Fast[side] = fade(p.Fast[side], seconds, rules.FastHalfLife, fastFactors)
		p.slow[side] = fade(p.slow[side], seconds, rules.SlowHalfLife, slowFactors)
	}
}

// Add adds points, and the points of possession since the last sample with possession. Possession
// only counts in the slow part, because a percentage of the match so far says little about the
// last minutes.
func (p *Pressure) Add(points [2]int64, percent counter.Pair, sent bool, tau int) {
	for side := range points {
		p.Fast[side] += points[side]
		p.slow[side] += points[side]
		if !sent {
			continue
		}
		held := int64(percent[side]) * int64(tau)
		if p.HasHeld {
			p.slow[side] += (held - p.held[side]) * rules.PossessionPoint / 100
		}
		p.held[side] = held
	}
	p.HasHeld = sent
	for side := range points {
		p.Fast[side] = min(p.Fast[side], rules.MaxPressure)
		p.slow[side] = max(-rules.MaxPressure, min(p.slow[side], rules.MaxPressure))
	}
}

// Rest clears the fast part and the threat at the break between two halves, since they
// describe the last minutes of play.
func (p *Pressure) Rest() { p.Fast, p.Threat = [2]int64{}, Threat{} }

// sides returns the pressure of both sides, without men and the threat.
func (p *Pressure) sides() (sides [2]int64) {
	for i := range sides {
		sides[i] = max(0, p.Fast[i]) + max(0, p.slow[i])/rules.SlowShare
	}
	return sides
}

// Factors of decay for the seconds of one half-life, in 2^-32.
var (
	fastFactors = factors(rules.FastHalfLife)
	slowFactors = factors(rules.SlowHalfLife)
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
func priorOf(s counter.Supply) int64 {
	if s.Dangerous && s.Possession {
		return rules.PriorFull
	}
	return rules.PriorThin
}
