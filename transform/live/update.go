package live

import (
	"mkt/fetch/input"
	"mkt/publish/football"
)

// updateTimeline adds to the timeline what a sample showed. before is the clock of the
// previous sample.
func (s *State) updateTimeline(sample *input.Sample, m *movement, before *clock) {
	s.purge()
	if half := s.clock.Phase.Half(); half != 0 && s.clock.Phase != before.Phase {
		s.scene = newScene() // attacks of the last half do not count in this one
		if before.Phase.Half() == 0 {
			s.goesOn(half)
		}
		within := kickOffWithin
		if half > 1 && before.half == half-1 {
			within = kickOffAfterHalf
		}
		if into := s.clock.position - halfBegins[half]; s.clock.known && half != before.half && into >= 0 && into < within {
			s.insert(len(s.timeline), entry{boardPosition: s.boardPosition(), at: s.at, state: football.VisualKickOff, side: football.SideNone,
				certainty: football.Inferred, fellAt: never})
			s.scene.heldUntil = s.tau + eventSeconds[football.VisualKickOff]
		}
	}
	s.recordAttacks(m)
	s.updateEvents(sample, m)
	s.choose(m.carried)
	s.heldAt = s.at
}

func (s *State) updateEvents(sample *input.Sample, m *movement) {
	e := sampleEvents{State: s, holds: map[football.VisualState]int{}, isBaseline: m.baseline}
	list := e.withdraw(sample)
	e.corrections(m)
	e.rises(m)
	e.readList(list)
	e.settle()
	e.insertCollected()
}

// updateList adds to the timeline what only the list of a sample says.
func (s *State) updateList(sample *input.Sample) {
	s.purge()
	s.updateEvents(sample, &movement{})
	s.heldAt = s.at
}

// choose adds the state of play after the events of the sample. Without attacks or
// dangerous attacks it is not known, unless there was a shot.
func (s *State) choose(carried bool) {
	switch s.clock.Phase {
	case football.HalfTime, football.Break:
		s.rest(football.VisualHalfTime)
		return
	case football.FullTime:
		s.rest(football.VisualFullTime)
		return
	case football.Shootout:
		s.rest(football.VisualPenalty)
		return
	}
	if !s.clock.runs && s.clock.Phase == football.NoPhase {
		return // before kick-off
	}
	if last := s.last(); last != nil && s.tau < s.scene.heldUntil && eventSeconds[last.state] != 0 {
		return
	}
	if _, danger := latest(s.scene.danger, s.tau-dangerHolds); !carried && !danger {
		s.keep(s.at, football.VisualCalm, football.SideNone, football.Unknown)
		return
	}
	state, side := s.pressureState()
	s.keep(s.at, state, side, football.Inferred)
}

func (s *State) rest(state football.VisualState) {
	s.scene = newScene()
	s.keep(s.at, state, football.SideNone, football.Inferred)
}

func (s *State) recordAttacks(m *movement) {
	supplied := supplyOf(s.counters).dangerous
	for side := range sides {
		shots := m.onTarget[side] + m.offTarget[side]
		if m.dangerous[side] > 0 || !supplied && m.attacks[side] > 0 {
			s.scene.attack[side] = s.tau
		}
		again := m.dangerous[side] > 1 || m.dangerous[side] == 1 && s.tau-s.scene.dangerous[side] <= dangerWithin
		if m.dangerous[side] > 0 {
			s.scene.dangerous[side] = s.tau
		}
		if shots > 0 || again {
			s.scene.danger[side] = s.tau
		}
	}
}

// pressureState returns the state that the counters alone show: danger before pressure
// before attack. The side is that which did it last, and neither if both did.
func (s *State) pressureState() (football.VisualState, football.Side) {
	s.scene.pressing = s.pressing()
	if side, ok := latest(s.scene.danger, s.tau-dangerHolds); ok {
		return football.VisualDanger, side
	}
	if s.scene.pressing != 0 {
		return football.VisualPressure, sides[s.scene.pressing-1]
	}
	if side, ok := latest(s.scene.attack, s.tau-attackHolds); ok {
		return football.VisualAttack, side
	}
	return football.VisualCalm, football.SideNone
}

// pressing returns the side that presses, as 1 or 2, and 0 for neither. Pressure begins
// at one threshold and ends at a lower one.
func (s *State) pressing() int {
	for side, fast := range s.pressure.fast {
		other := s.pressure.fast[1-side]
		if s.scene.pressing == side+1 && fast >= pressureEnds && 2*fast >= 2*endsTimes*other {
			return side + 1
		}
		if fast >= pressureBegins && fast >= beginsTimes*other {
			return side + 1
		}
	}
	return 0
}
