package live

import "mkt/publish/football"

// For how many seconds of match clock an event is the state of play.
var holds = map[football.VisualState]int{
	football.VisualKickOff: 24, football.VisualSubstitution: 16, football.VisualCorner: 24,
	football.VisualCard: 24, football.VisualPenalty: 60, football.VisualGoal: 60,
}

// What makes a state of pressure, in seconds of match clock and points of the
// fast part of pressure.
const (
	attackHolds  = 24 // after a dangerous attack, or an attack where those are not sent
	dangerHolds  = 32 // after a shot, or a second dangerous attack within dangerWithin
	dangerWithin = 40

	kickOffWithin = 60 // of the half, for its beginning to have been seen

	// Pressure begins at pressureBegins when it is beginsTimes the other side's, and
	// lasts while it is at least pressureEnds and endsTimes the other side's.
	pressureBegins, beginsTimes = 3 * point, 2.0
	pressureEnds, endsTimes     = 2 * point, 1.5
)

// never is before anything.
const never = -1 << 20

// scene is what the visual state remembers; times are in seconds of tau.
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

// sides in the order of pairs.
var sides = [2]football.Side{football.SideHome, football.SideAway}

// watch reports on the timeline what a sample showed; before is the phase of the
// sample before it.
func (s *State) watch(sample *football.Sample, m *movement, before football.Phase) {
	s.purge()
	if half := s.clock.Phase.Half(); half != 0 && s.clock.Phase != before {
		s.scene = newScene() // what pressed before the break is no state of this half
		if into := s.clock.position - halfBegins[half]; s.clock.known && into >= 0 && into < kickOffWithin {
			s.insert(len(s.timeline), entry{place: s.place(), at: s.at, state: football.VisualKickOff, side: football.SideNone,
				certainty: football.Inferred, fellAt: never})
			s.scene.heldUntil = s.tau + holds[football.VisualKickOff]
		}
	}
	e := sampleEvents{State: s, holds: map[football.VisualState]int{}, isBaseline: m.baseline}
	s.remember(m)
	list := e.withdraw(sample)
	e.corrections(m)
	e.rises(m)
	e.readList(list)
	e.enter()
	s.choose(m.carried)
	s.heldAt = s.at
}

// corrections reports the counters that fell, or climbed back.
func (e *sampleEvents) corrections(m *movement) {
	for i, state := range eventStates {
		c := &m.events[i]
		e.times(c.turned, state, e.countTurned)
		e.times(c.down, state, e.counterFell)
		e.times(c.back, state, e.counterRecovered)
	}
}

// rises reports the counters that rose.
func (e *sampleEvents) rises(m *movement) {
	for i, state := range eventStates {
		e.times(m.events[i].up, state, e.counterRose)
	}
}

// times makes a report for each time that a counter moved. A counter that moves
// by more is broken, and the timeline is bounded.
func (e *sampleEvents) times(of pair, state football.VisualState, report func(football.VisualState, football.Side)) {
	for side, times := range of {
		for range min(times, maxDelta) {
			report(state, sides[side])
		}
	}
}

// choose enters the state that play is in after everything that happened. Without
// attacks or dangerous attacks nothing is known of it, but for a shot.
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
	if last := s.last(); last != nil && s.tau < s.scene.heldUntil && holds[last.state] != 0 {
		return
	}
	if _, danger := latest(s.scene.danger, s.tau-dangerHolds); !carried && !danger {
		s.keep(s.at, football.VisualCalm, football.SideNone, football.Unknown)
		return
	}
	state, side := s.pressureState()
	s.keep(s.at, state, side, football.Inferred)
}

// rest enters a state in which nobody attacks.
func (s *State) rest(state football.VisualState) {
	s.scene = newScene()
	s.keep(s.at, state, football.SideNone, football.Inferred)
}

// remember notes when each side last attacked.
func (s *State) remember(m *movement) {
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

// pressureState is the state that counters alone tell: danger before pressure
// before attack, the side that did it last, neither when both did.
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

// pressing is the side under whose pressure play is, with a threshold to begin
// and a lower one to end.
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

// latest is the side with the later time, if that is after since.
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
