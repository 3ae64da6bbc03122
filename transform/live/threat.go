package live

import (
	"fmt"

	"mkt/publish/football"
)

// threat is a possible shot at any moment: an attack under way, or an awarded corner or penalty.
// The fast part of pressure knows the last minutes, but not who has the ball now. A threat lasts
// until its side shoots, the other side attacks, a greater one comes, or it lapses.
type threat struct {
	kind  int // index of threats
	side  int // 0 home, 1 away; 0 if there is none
	until int // the tau at which it lapses; 0 if there is none
}

// after returns the threat after a sample with the movement m. A correction of its own counter,
// from before to now, ends it.
func (t threat) after(m *movement, before, now []football.Counter, tau int) threat {
	if t.kind != noThreat && (tau >= t.until || m.shot(t.side) || isCorrected(before, now, threats[t.kind].metric)) || m.rise(football.VisualGoal) != (pair{}) {
		t = threat{}
	}
	waits := t.kind == penaltyThreat // for the kick, whoever attacks meanwhile
	for _, next := range []struct {
		kind int
		rose pair
	}{{attackThreat, m.attacks}, {cornerThreat, m.corners}, {penaltyThreat, m.rise(football.VisualPenalty)}} {
		if next.rose == (pair{}) || waits && next.kind != penaltyThreat {
			continue
		}
		side, one := onlySide(next.rose)
		if t = (threat{}); one && !m.shot(side) {
			t = threat{next.kind, side, tau + threats[next.kind].lasts}
		}
	}
	return t
}

// onlySide returns the only side with a movement. If both moved between two samples, nobody knows
// which was last.
func onlySide(moved pair) (side int, one bool) {
	if moved[0] > 0 {
		return 0, moved[1] == 0
	}
	return 1, moved[1] > 0
}

func isCorrected(before, now []football.Counter, m football.Metric) bool {
	was, okWas := counts(before, m)
	is, ok := counts(now, m)
	return okWas && ok && (is[0] < was[0] || is[1] < was[1])
}

// adds returns the threat's addition at tau to each side's pressure, given without it and with
// men counted. An attack or a corner brings the side behind no farther than level: most of them
// end without a shot, and the leader would change twice.
func (t threat) adds(sides [2]int64, men [2]keptPart, tau int, prior int64) (added [2]int64) {
	if t.kind == noThreat || tau >= t.until {
		return added
	}
	points := men[t.side].of(prior / 4 * threats[t.kind].quarters)
	if behind := sides[1-t.side] - sides[t.side]; behind > 0 && t.levels() {
		points = min(points, behind)
	}
	added[t.side] = points
	return added
}

// levels reports whether the threat can only make its side level.
func (t threat) levels() bool { return t.kind != penaltyThreat }

// rule describes the threat's addition at tau, and its duration.
func (t threat) rule(tau int, prior int64) string {
	if t.kind == noThreat || tau >= t.until {
		return "no attack is under way, and no corner or penalty is waiting"
	}
	k := &threats[t.kind]
	rule := fmt.Sprintf("%s, counted %d s of match clock ago, adds %d/4 of the prior of %g × men until the side shoots, for at most %d s",
		k.name, tau-t.until+k.lasts, k.quarters, float64(prior)/point, k.lasts)
	if t.levels() {
		rule += "; a side behind, no more than makes it level"
	}
	return rule
}
