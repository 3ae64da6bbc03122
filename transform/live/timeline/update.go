package timeline

import (
	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Update adds to the timeline what a sample showed. before is the clock of the
// previous sample.
func (t *Timeline) Update(now *Step, sample *input.Sample, m *counter.Movement, before *clock.Clock) {
	t.purge(now)
	if half := now.Clock.Phase.Half(); half != 0 && now.Clock.Phase != before.Phase {
		t.recent = nothingRecent() // attacks of the last half do not count in this one
		if before.Phase.Half() == 0 {
			t.goesOn(half)
		}
		within := rules.KickOffWithin
		if half > 1 && before.Half == half-1 {
			within = rules.KickOffAfterHalf
		}
		if into := now.Clock.Position - clock.HalfBegins[half]; now.Clock.Known && half != before.Half && into >= 0 && into < within {
			t.insert(len(t.entries), entry{Board: now.Board, at: now.At, state: football.VisualKickOff, side: football.SideNone,
				certainty: football.Inferred, fellAt: never})
			t.recent.heldUntil = now.Tau + rules.EventSeconds[football.VisualKickOff]
		}
	}
	t.recordAttacks(now, m)
	t.updateEvents(now, sample, m)
	t.choose(now, m.Carried)
	t.heldAt = now.At
}

func (t *Timeline) updateEvents(now *Step, sample *input.Sample, m *counter.Movement) {
	e := changes{Timeline: t, Step: now, holds: map[football.VisualState]int{}, isBaseline: m.Baseline}
	before := t.entries
	t.isOwn = false // so that before stays as it is
	list := e.withdraw(sample)
	e.corrections(m)
	e.rises(m)
	e.readList(list)
	e.reconcile()
	e.insertCollected()
	e.replace(before)
}

// UpdateListed adds to the timeline what only the list of a sample says.
func (t *Timeline) UpdateListed(now *Step, sample *input.Sample) {
	t.purge(now)
	t.updateEvents(now, sample, &counter.Movement{})
	t.heldAt = now.At
}

// choose adds the state of play after the events of the sample. Without attacks or
// dangerous attacks it is not known, unless there was a shot.
func (t *Timeline) choose(now *Step, carried bool) {
	switch now.Clock.Phase {
	case football.HalfTime, football.Break:
		t.Rest(now, football.VisualHalfTime)
		return
	case football.FullTime:
		t.Rest(now, football.VisualFullTime)
		return
	case football.Shootout:
		t.Rest(now, football.VisualPenalty)
		return
	}
	if !now.Clock.Runs && now.Clock.Phase == football.NoPhase {
		return // before kick-off
	}
	if last := t.last(); last != nil && now.Tau < t.recent.heldUntil && rules.EventSeconds[last.state] != 0 {
		return
	}
	if _, danger := latest(t.recent.danger, now.Tau-rules.DangerHolds); !carried && !danger {
		t.keep(now, now.At, football.VisualCalm, football.SideNone, football.Unknown)
		return
	}
	state, side := t.pressureState(now)
	t.keep(now, now.At, state, side, football.Inferred)
}

// Rest adds the state of a break, of the end or of a shoot-out.
func (t *Timeline) Rest(now *Step, state football.VisualState) {
	t.recent = nothingRecent()
	t.keep(now, now.At, state, football.SideNone, football.Inferred)
}

// recordAttacks records when each side last attacked.
func (t *Timeline) recordAttacks(now *Step, m *counter.Movement) {
	supplied := counter.SupplyOf(now.Counters.Newest).Dangerous
	for side := range sides {
		shots := m.OnTarget[side] + m.OffTarget[side]
		if m.Dangerous[side] > 0 || !supplied && m.Attacks[side] > 0 {
			t.recent.attack[side] = now.Tau
		}
		again := m.Dangerous[side] > 1 || m.Dangerous[side] == 1 && now.Tau-t.recent.dangerous[side] <= rules.DangerWithin
		if m.Dangerous[side] > 0 {
			t.recent.dangerous[side] = now.Tau
		}
		if shots > 0 || again {
			t.recent.danger[side] = now.Tau
		}
	}
}

// pressureState returns the state that the counters alone show: danger before pressure
// before attack. The side is that which did it last, and neither if both did.
func (t *Timeline) pressureState(now *Step) (football.VisualState, football.Side) {
	t.recent.pressing = t.pressing(now)
	if side, ok := latest(t.recent.danger, now.Tau-rules.DangerHolds); ok {
		return football.VisualDanger, side
	}
	if t.recent.pressing != 0 {
		return football.VisualPressure, sides[t.recent.pressing-1]
	}
	if side, ok := latest(t.recent.attack, now.Tau-rules.AttackHolds); ok {
		return football.VisualAttack, side
	}
	return football.VisualCalm, football.SideNone
}

// pressing returns the side that presses, as 1 or 2, and 0 for neither. Pressure begins
// at one threshold and ends at a lower one.
func (t *Timeline) pressing(now *Step) int {
	for side, fast := range now.Pressing {
		other := now.Pressing[1-side]
		if t.recent.pressing == side+1 && fast >= rules.PressureEnds && 2*fast >= 2*rules.EndsTimes*other {
			return side + 1
		}
		if fast >= rules.PressureBegins && fast >= rules.BeginsTimes*other {
			return side + 1
		}
	}
	return 0
}
