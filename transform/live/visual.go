package live

import (
	"mkt/fetch/input"
	"mkt/publish/football"
)

// never is a time before all others.
const never = -1 << 20

// scene is what the next visual state depends on. Its times are in seconds of tau.
type scene struct {
	heldUntil int // an event is the state until then
	attack    pair
	dangerous pair // the last dangerous attack
	danger    pair
	pressing  int // the side whose pressure holds, 1 home, 2 away, 0 neither
}

func newScene() scene {
	return scene{heldUntil: never, attack: pair{never, never}, dangerous: pair{never, never}, danger: pair{never, never}}
}

var sides = [2]football.Side{football.SideHome, football.SideAway}

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

func (e *sampleEvents) corrections(m *movement) {
	for i, state := range eventStates {
		c := &m.events[i]
		e.times(c.turned, state, e.countTurned)
		e.times(c.down.plus(m.undated[i].down), state, e.counterFell)
		e.times(c.back, state, e.counterRecovered)
	}
}

func (e *sampleEvents) rises(m *movement) {
	for i, state := range eventStates {
		e.times(m.events[i].up, state, e.counterRose)
		e.times(m.undated[i].up, state, e.counterRoseInGap)
	}
}

// times calls report once for each step of a counter, and at most maxDelta times: a
// counter that moves further is broken.
func (e *sampleEvents) times(of pair, state football.VisualState, report func(football.VisualState, football.Side)) {
	for side, times := range of {
		for range min(times, maxDelta) {
			report(state, sides[side])
		}
	}
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

// latest returns the side with the later time, and whether that is after since.
func latest(times pair, since int) (football.Side, bool) {
	switch {
	case max(times[0], times[1]) <= since:
		return football.SideNone, false
	case times[0] == times[1]:
		return football.SideNone, true
	case times[0] > times[1]:
		return football.SideHome, true
	}
	return football.SideAway, true
}
