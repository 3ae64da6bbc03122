package live

import (
	"mkt/fetch/input"
	"mkt/publish/football"
)

// update adds to the timeline what a sample showed. before is the clock of the
// previous sample.
func (t *timeline) update(now *step, sample *input.Sample, m *movement, before *clock) {
	t.purge(now)
	if half := now.clock.Phase.Half(); half != 0 && now.clock.Phase != before.Phase {
		t.recent = nothingRecent() // attacks of the last half do not count in this one
		if before.Phase.Half() == 0 {
			t.goesOn(half)
		}
		within := kickOffWithin
		if half > 1 && before.half == half-1 {
			within = kickOffAfterHalf
		}
		if into := now.clock.position - halfBegins[half]; now.clock.known && half != before.half && into >= 0 && into < within {
			t.insert(len(t.entries), entry{boardPosition: now.board, at: now.at, state: football.VisualKickOff, side: football.SideNone,
				certainty: football.Inferred, fellAt: never})
			t.recent.heldUntil = now.tau + eventSeconds[football.VisualKickOff]
		}
	}
	t.recordAttacks(now, m)
	t.updateEvents(now, sample, m)
	t.choose(now, m.carried)
	t.heldAt = now.at
}

func (t *timeline) updateEvents(now *step, sample *input.Sample, m *movement) {
	e := changes{timeline: t, step: now, holds: map[football.VisualState]int{}, isBaseline: m.baseline}
	list := e.withdraw(sample)
	e.corrections(m)
	e.rises(m)
	e.readList(list)
	e.reconcile()
	e.insertCollected()
}

// updateListed adds to the timeline what only the list of a sample says.
func (t *timeline) updateListed(now *step, sample *input.Sample) {
	t.purge(now)
	t.updateEvents(now, sample, &movement{})
	t.heldAt = now.at
}

// choose adds the state of play after the events of the sample. Without attacks or
// dangerous attacks it is not known, unless there was a shot.
func (t *timeline) choose(now *step, carried bool) {
	switch now.clock.Phase {
	case football.HalfTime, football.Break:
		t.rest(now, football.VisualHalfTime)
		return
	case football.FullTime:
		t.rest(now, football.VisualFullTime)
		return
	case football.Shootout:
		t.rest(now, football.VisualPenalty)
		return
	}
	if !now.clock.runs && now.clock.Phase == football.NoPhase {
		return // before kick-off
	}
	if last := t.last(); last != nil && now.tau < t.recent.heldUntil && eventSeconds[last.state] != 0 {
		return
	}
	if _, danger := latest(t.recent.danger, now.tau-dangerHolds); !carried && !danger {
		t.keep(now, now.at, football.VisualCalm, football.SideNone, football.Unknown)
		return
	}
	state, side := t.pressureState(now)
	t.keep(now, now.at, state, side, football.Inferred)
}

func (t *timeline) rest(now *step, state football.VisualState) {
	t.recent = nothingRecent()
	t.keep(now, now.at, state, football.SideNone, football.Inferred)
}

func (t *timeline) recordAttacks(now *step, m *movement) {
	supplied := supplyOf(now.counters.newest).dangerous
	for side := range sides {
		shots := m.onTarget[side] + m.offTarget[side]
		if m.dangerous[side] > 0 || !supplied && m.attacks[side] > 0 {
			t.recent.attack[side] = now.tau
		}
		again := m.dangerous[side] > 1 || m.dangerous[side] == 1 && now.tau-t.recent.dangerous[side] <= dangerWithin
		if m.dangerous[side] > 0 {
			t.recent.dangerous[side] = now.tau
		}
		if shots > 0 || again {
			t.recent.danger[side] = now.tau
		}
	}
}

// pressureState returns the state that the counters alone show: danger before pressure
// before attack. The side is that which did it last, and neither if both did.
func (t *timeline) pressureState(now *step) (football.VisualState, football.Side) {
	t.recent.pressing = t.pressing(now)
	if side, ok := latest(t.recent.danger, now.tau-dangerHolds); ok {
		return football.VisualDanger, side
	}
	if t.recent.pressing != 0 {
		return football.VisualPressure, sides[t.recent.pressing-1]
	}
	if side, ok := latest(t.recent.attack, now.tau-attackHolds); ok {
		return football.VisualAttack, side
	}
	return football.VisualCalm, football.SideNone
}

// pressing returns the side that presses, as 1 or 2, and 0 for neither. Pressure begins
// at one threshold and ends at a lower one.
func (t *timeline) pressing(now *step) int {
	for side, fast := range now.pressing {
		other := now.pressing[1-side]
		if t.recent.pressing == side+1 && fast >= pressureEnds && 2*fast >= 2*endsTimes*other {
			return side + 1
		}
		if fast >= pressureBegins && fast >= beginsTimes*other {
			return side + 1
		}
	}
	return 0
}
