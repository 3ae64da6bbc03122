package momentum

import (
	"fmt"

	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Inputs are the inputs of momentum, in points (docs/momentum.md), home first.
type Inputs struct {
	Fast, Slow [2]float64 // decayed to the time of the last step
	Threat     [2]float64 // addition for an attack under way, or a waiting corner or penalty
	ThreatRule string     // which, and for how long
	RedCards   string     // "0-1"; empty if not known for both sides
	Keeps      [2]string  // the part of its pressure which a side keeps: "1", or "2/3" if it is a man short
	Pressure   [2]float64 // (max(0, fast) + max(0, slow) / 5) × keeps + threat
	Prior      float64    // pulls a thin sample towards 50
	Observed   int        // seconds of match clock seen without a gap
	Enough     int        // the required seconds
	Supplied   []football.Metric
}

// InputsOf returns the inputs of a reading; observed is for how many seconds counters could be compared.
func InputsOf(r Reading, counters []football.Counter, observed int) Inputs {
	in := Inputs{Prior: float64(r.Prior) / rules.Point, Observed: observed, Enough: rules.MinObserved, ThreatRule: r.now.Threat.rule(r.tau, r.Prior)}
	for side := range r.Sides {
		in.Threat[side] = float64(r.threat[side]) / rules.Point
		in.Fast[side], in.Slow[side] = float64(r.now.Fast[side])/rules.Point, float64(r.now.slow[side])/rules.Point
		in.Keeps[side], in.Pressure[side] = r.men[side].String(), float64(r.Sides[side])/rules.Point
	}
	if red, known := redCards(counters); known {
		in.RedCards = fmt.Sprintf("%d-%d", red[0], red[1])
	}
	for _, m := range []football.Metric{football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners, football.Attacks, football.Possession} {
		if _, sent := counter.Of(counters, m); sent {
			in.Supplied = append(in.Supplied, m)
		}
	}
	return in
}

// Part is one of the numbers behind momentum, and its rule.
type Part struct{ Name, Value, Rule string }

// Rule returns the computation of home's number, with the numbers in it.
func (in *Inputs) Rule() string {
	return fmt.Sprintf("home = round(100 × (%.6f + %g) / (%.6f + %.6f + 2 × %g)), half to even: pressure of both sides and a prior (docs/momentum.md)",
		in.Pressure[0], in.Prior, in.Pressure[0], in.Pressure[1], in.Prior)
}

// Parts returns the numbers in Rule and those behind them, for doing the computation again.
func (in *Inputs) Parts() []Part {
	sides := func(of [2]float64) string { return fmt.Sprintf("%.6f home, %.6f away", of[0], of[1]) }
	red := "red cards " + in.RedCards
	if in.RedCards == "" {
		red = "red cards are not known for both sides and count as none"
	}
	return []Part{
		{"pressure", sides(in.Pressure), fmt.Sprintf("(max(0, fast) + max(0, slow) / %d) × men + threat", rules.SlowShare)},
		{"men", in.Keeps[0] + " home, " + in.Keeps[1] + " away",
			fmt.Sprintf("%s: for each man that a side is short it keeps %v of its pressure, for at most %d", red, rules.KeepsWhenShort[1], rules.MaxShort)},
		{"fast", sides(in.Fast), fmt.Sprintf("points, halved every %d s of match clock", rules.FastHalfLife)},
		{"slow", sides(in.Slow), fmt.Sprintf("points and possession, halved every %d s", rules.SlowHalfLife)},
		{"threat", sides(in.Threat), in.ThreatRule},
	}
}
