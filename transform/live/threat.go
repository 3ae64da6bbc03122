package live

import (
	"fmt"

	"mkt/publish/football"
)

// threat is what may become a shot at any moment: an attack under way, or a corner
// or a penalty that was awarded. The fast part of pressure knows what happened in
// the last minutes, not who has the ball now. A threat lasts until its side shoots,
// the other side attacks, something greater comes, or it lapses.
type threat struct {
	kind  int // index of threats
	side  int // 0 home, 1 away; 0 when there is none
	until int // the tau at which it lapses; 0 when there is none
}

// Kinds of a threat, the smallest first.
const (
	noThreat = iota
	attackThreat
	cornerThreat
	penaltyThreat
)

// threatAfter returns the threat after a sample of which m moved; counted are the
// counters before it. Nothing is threatened in a break.
func (s *State) threatAfter(m *movement, counted []football.Counter) threat {
	if s.clock.Phase.Half() == 0 && s.clock.Phase != football.NoPhase {
		return threat{}
	}
	return s.pressure.threat.after(m, counted, s.counters, s.tau)
}

// after returns the threat after a sample of which m moved. It is over when its own
// counter is corrected, as before and now show.
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

// onlySide returns the one side of which something moved. When both moved between two
// samples, which was last is not known.
func onlySide(moved pair) (side int, one bool) {
	if moved[0] > 0 {
		return 0, moved[1] == 0
	}
	return 1, moved[1] > 0
}

func (m *movement) shot(side int) bool {
	return m.onTarget[side]+m.offTarget[side]+m.rise(football.VisualGoal)[side] > 0
}

func isCorrected(before, now []football.Counter, m football.Metric) bool {
	was, okWas := counts(before, m)
	is, ok := counts(now, m)
	return okWas && ok && (is[0] < was[0] || is[1] < was[1])
}

// adds returns what the threat adds at tau to the pressure of each side, which is given
// without it and with men counted. An attack or a corner brings the side behind no farther
// than level: most of them end without a shot, and the leader would change twice.
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

// rule returns what the threat adds at tau, and for how long, as text.
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
