package momentum

import (
	"fmt"

	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Threat is a possible shot at any moment: an attack under way, or an awarded corner or penalty.
// The fast part of pressure knows the last minutes, but not who has the ball now. A threat lasts
// until its side shoots, the other side attacks, a greater one comes, or it lapses.
type Threat struct {
	kind  int // index of threats
	side  int // 0 home, 1 away; 0 if there is none
	until int // the tau at which it lapses; 0 if there is none
}

// After returns the threat after a sample with the movement m. A correction of its own counter,
// from before to now, ends it.
func (t Threat) After(m *counter.Movement, before, now []football.Counter, tau int) Threat {
	if t.kind != rules.NoThreat && (tau >= t.until || m.Shot(t.side) || isCorrected(before, now, rules.Threats[t.kind].Metric)) || m.Rise(football.VisualGoal) != (counter.Pair{}) {
		t = Threat{}
	}
	waits := t.kind == rules.PenaltyThreat // for the kick, whoever attacks meanwhile
	for _, next := range []struct {
		kind int
		rose counter.Pair
	}{{rules.AttackThreat, m.Attacks}, {rules.CornerThreat, m.Corners}, {rules.PenaltyThreat, m.Rise(football.VisualPenalty)}} {
		if next.rose == (counter.Pair{}) || waits && next.kind != rules.PenaltyThreat {
			continue
		}
		side, one := onlySide(next.rose)
		if t = (Threat{}); one && !m.Shot(side) {
			t = Threat{next.kind, side, tau + rules.Threats[next.kind].Lasts}
		}
	}
	return t
}

// onlySide returns the only side with a movement. If both moved between two samples, nobody knows
// which was last.
func onlySide(moved counter.Pair) (side int, one bool) {
	if moved[0] > 0 {
		return 0, moved[1] == 0
	}
	return 1, moved[1] > 0
}

func isCorrected(before, now []football.Counter, m football.Metric) bool {
	was, okWas := counter.Of(before, m)
	is, ok := counter.Of(now, m)
	return okWas && ok && (is[0] < was[0] || is[1] < was[1])
}

// adds returns the threat's addition at tau to each side's pressure, given without it and with
// men counted. An attack or a corner brings the side behind no farther than level: most of them
// end without a shot, and the leader would change twice.
func (t Threat) adds(sides [2]int64, men [2]rules.Fraction, tau int, prior int64) (added [2]int64) {
	if t.kind == rules.NoThreat || tau >= t.until {
		return added
	}
	points := men[t.side].Of(prior / 4 * rules.Threats[t.kind].Quarters)
	if behind := sides[1-t.side] - sides[t.side]; behind > 0 && t.levels() {
		points = min(points, behind)
	}
	added[t.side] = points
	return added
}

// levels reports whether the threat can only make its side level.
func (t Threat) levels() bool { return t.kind != rules.PenaltyThreat }

// rule describes the threat's addition at tau, and its duration.
func (t Threat) rule(tau int, prior int64) string {
	if t.kind == rules.NoThreat || tau >= t.until {
		return "no attack is under way, and no corner or penalty is waiting"
	}
	k := &rules.Threats[t.kind]
	rule := fmt.Sprintf("%s, counted %d s of match clock ago, adds %d/4 of the prior of %g × men until the side shoots, for at most %d s",
		k.Name, tau-t.until+k.Lasts, k.Quarters, float64(prior)/rules.Point, k.Lasts)
	if t.levels() {
		rule += "; a side behind, no more than makes it level"
	}
	return rule
}
