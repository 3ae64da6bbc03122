package live

import (
	"mkt/publish/football"
)

// Inputs are what momentum was made of, in points (docs/momentum.md), home first.
type Inputs struct {
	Fast, Slow [2]float64 // as they had decayed by the time of the last step
	Pressure   [2]float64 // max(0, fast) + 0.2 × max(0, slow)
	Prior      float64    // pulls a thin sample towards 50
	Observed   int        // seconds of match clock seen without a gap
	Enough     int        // how many there must be
	Supplied   []football.Metric
}

// Inputs of Momentum at the time of the last step.
func (s *State) Inputs() Inputs {
	now, supplied := s.pressure, supplyOf(s.counters)
	if s.clock.runs {
		now.decay(int(s.age().Seconds()))
	}
	in := Inputs{Prior: float64(supplied.prior()) / point, Observed: s.observed, Enough: enough}
	home, away := now.sides()
	in.Pressure = [2]float64{float64(home) / point, float64(away) / point}
	for side := range in.Fast {
		in.Fast[side], in.Slow[side] = float64(now.fast[side])/point, float64(now.slow[side])/point
	}
	for _, m := range []football.Metric{football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners, football.Attacks, football.Possession} {
		if _, sent := counts(s.counters, m); sent {
			in.Supplied = append(in.Supplied, m)
		}
	}
	return in
}

// RuleOf says by which rule a timeline entry of that state and certainty comes
// about. Source: docs/momentum.md, and visual.go, which decides.
func RuleOf(state football.VisualState, certainty football.Certainty) string {
	if certainty == football.Exact {
		return "an event of the provider's own list, in its minute; the second is that of the observation. A counter that showed it from 20 s before the minute to three minutes behind it is the same event"
	}
	if certainty == football.Unknown && state == football.VisualCalm {
		return "nothing can be said: a baseline, no counter of pressure in two samples running, or the time between events from before the first sample"
	}
	return rules[state]
}

var rules = map[football.VisualState]string{
	football.VisualKickOff:      "a half that was not played in the sample before is, within its first minute on the scoreboard",
	football.VisualCalm:         "no shot within 32 s of match clock, no side under pressure, no dangerous attack within 24 s",
	football.VisualAttack:       "a dangerous attack (an attack, where those are not sent) within 24 s of match clock, by the side that did it last",
	football.VisualPressure:     "the fast part of a side's pressure reaches 3 points and twice the other's; it ends below 2, or below one and a half times the other's",
	football.VisualDanger:       "a shot, or two dangerous attacks within 40 s, within the last 32 s of match clock",
	football.VisualCorner:       "the counter corners rose, and has not fallen again",
	football.VisualGoal:         "the score rose, and has not fallen again",
	football.VisualCard:         "the counters yellow_cards or red_cards rose, and have not fallen again",
	football.VisualPenalty:      "the counter penalties rose and has not fallen again, or a shoot-out is on",
	football.VisualSubstitution: "the counter substitutions rose, and has not fallen again",
	football.VisualHalfTime:     "the clock says that the half is over and the next has not begun; the half ended where the clock was last seen to run",
	football.VisualFullTime:     "the provider says that the fixture is over, or the clock that normal time is; it ended where the clock was last seen to run",
	football.VisualStale:        "no sample told anything new for 60 s while the clock ran, or 3 minutes while it stood",
}
