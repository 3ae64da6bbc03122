package live

import (
	"fmt"

	"mkt/publish/football"
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
		{"pressure", sides(in.Pressure), fmt.Sprintf("(max(0, fast) + max(0, slow) / %d) × men + threat", slowShare)},
		{"men", in.Keeps[0] + " home, " + in.Keeps[1] + " away",
			fmt.Sprintf("%s: for each man that a side is short it keeps %v of its pressure, for at most %d", red, keepsWhenShort[1], maxShort)},
		{"fast", sides(in.Fast), fmt.Sprintf("points, halved every %d s of match clock", fastHalfLife)},
		{"slow", sides(in.Slow), fmt.Sprintf("points and possession, halved every %d s", slowHalfLife)},
		{"threat", sides(in.Threat), in.ThreatRule},
	}
}

// MinuteRule returns the rule for a minute's points or its state.
func MinuteRule(state football.BucketState) string {
	switch state {
	case football.BucketMissing:
		return fmt.Sprintf("attacks and dangerous attacks were not sent, or could not be compared, for more than %d s of the minute", blindSlack)
	case football.BucketNull:
		return fmt.Sprintf("attacks or dangerous attacks were sent without a value for more than %d s of the minute", blindSlack)
	}
	return fmt.Sprintf("%d × dangerous attacks + %d × shots + %d × corners that were counted in the minute, and %d × attacks if dangerous attacks are not sent; "+
		"what is first seen while the clock is stopped belongs to the last minute played", pointsDangerous, pointsShot, pointsCorner, pointsAttack)
}

// RuleOf returns the rule for a timeline entry's state and certainty, including its constants.
func RuleOf(state football.VisualState, certainty football.Certainty) string {
	if certainty == football.Exact {
		return fmt.Sprintf("an event of the provider's own list, in its minute; the second is that of the observation. "+
			"A counter that showed it from %d s before the minute to %d s after it is the same event, and later too if the list has exactly as many as the count", earlyWithin, confirmWithin)
	}
	if certainty == football.Unknown && state == football.VisualCalm {
		return "nothing can be said: a baseline, no counter of pressure in two samples running, or the time between events from before the first sample"
	}
	return rules[state]
}

var rules = map[football.VisualState]string{
	football.VisualKickOff: fmt.Sprintf("a half that was not played in the sample before is, within its first %d s on the scoreboard, or %d s if the half before was seen",
		kickOffWithin, kickOffAfterHalf),
	football.VisualCalm: fmt.Sprintf("no shot within %d s of match clock, no side under pressure, no dangerous attack within %d s",
		dangerHolds, attackHolds),
	football.VisualAttack: fmt.Sprintf("a dangerous attack (an attack, where those are not sent) within %d s of match clock, by the side that did it last",
		attackHolds),
	football.VisualPressure: fmt.Sprintf("the fast part of a side's pressure reaches %g points and %g times the other's; it ends below %g points, or below %g times the other's",
		float64(pressureBegins)/point, beginsTimes, float64(pressureEnds)/point, endsTimes),
	football.VisualDanger:       fmt.Sprintf("a shot, or two dangerous attacks within %d s, within the last %d s of match clock", dangerWithin, dangerHolds),
	football.VisualCorner:       "the counter corners rose, and has not fallen again",
	football.VisualGoal:         "the score rose, and has not fallen again",
	football.VisualCard:         "the counters yellow_cards or red_cards rose, and have not fallen again",
	football.VisualPenalty:      "the counter penalties rose and has not fallen again, or a shoot-out is on",
	football.VisualSubstitution: "the counter substitutions rose, and has not fallen again",
	football.VisualHalfTime:     "the clock says that the half is over and the next has not begun; the half ended where the clock was last seen to run",
	football.VisualFullTime:     "the provider says that the fixture is over, or the clock that normal time is; it ended where the clock was last seen to run",
	football.VisualStale: fmt.Sprintf("no sample had anything new for %.0f s while the clock ran, or %.0f s while it was stopped",
		StaleAfter.Seconds(), StaleAtRest.Seconds()),
}
