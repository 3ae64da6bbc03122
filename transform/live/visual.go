package live

import (
	"hash/fnv"
	"slices"

	"mkt/publish/football"
)

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

	pressureBegins = 3 * point // and twice the other side's
	pressureEnds   = 2 * point // or less than one and a half times the other side's
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

// watch reports what a sample showed on the timeline. moved is nil for a
// baseline, of which nothing moved; before is the phase of the last sample.
func (s *State) watch(sample *football.Sample, moved *movement, before football.Phase) {
	if moved != nil {
		s.remember(moved)
		s.events(moved)
	}
	s.incidentsOf(sample, moved != nil)
	if half := s.clock.Phase.Half(); half != 0 && s.clock.Phase != before && s.clock.position-halfBegins[half] < kickOffWithin {
		s.enter(entry{at: s.at, until: s.at, position: s.clock.position, state: football.VisualKickOff,
			side: football.SideNone, certainty: football.Inferred})
		s.hold(football.VisualKickOff)
		return
	}
	s.settle(moved != nil && moved.seen)
}

// events reports the counters and the score that moved, what matters most last.
func (s *State) events(m *movement) {
	for _, e := range []struct {
		state football.VisualState
		moved pair
	}{{football.VisualSubstitution, m.substitutions}, {football.VisualCard, m.cards},
		{football.VisualCorner, m.corners}, {football.VisualPenalty, m.penalties}, {football.VisualGoal, m.goals}} {
		for side, n := range e.moved {
			if n > 0 && s.byCounters(e.state, sides[side]) {
				s.hold(e.state)
			}
		}
	}
}

// incidentsOf reports the events of the provider's own list that were not met
// before. A baseline only learns them.
func (s *State) incidentsOf(sample *football.Sample, tell bool) {
	list := sample.Incidents.Or(nil)
	for i := range list {
		mark, where, met := s.met(&list[i])
		if met || len(s.incidents) >= maxIncidents {
			continue
		}
		s.incidents = slices.Insert(slices.Clip(s.incidents), where, mark)
		if state, _ := stateOf(list[i].Kind); tell && s.byIncident(&list[i]) {
			s.hold(state)
		}
	}
}

// met tells whether an event of the provider's list was met before, and where
// its mark belongs.
func (s *State) met(i *football.Incident) (mark uint32, where int, met bool) {
	h := fnv.New32a()
	h.Write([]byte(i.ID))
	mark = h.Sum32()
	where, met = slices.BinarySearch(s.incidents, mark)
	return mark, where, met
}

// hasNews tells whether a sample lists an event that was not met before. When no
// more are remembered, none is news: each would be, in every sample.
func (s *State) hasNews(sample *football.Sample) bool {
	if len(s.incidents) >= maxIncidents {
		return false
	}
	list := sample.Incidents.Or(nil)
	return slices.ContainsFunc(list, func(i football.Incident) bool {
		_, _, met := s.met(&i)
		return !met
	})
}

// hold lets an event be the state for a while.
func (s *State) hold(state football.VisualState) { s.scene.heldUntil = s.tau + holds[state] }

// settle says which state play is in after everything that happened.
func (s *State) settle(known bool) {
	switch s.clock.Phase {
	case football.HalfTime, football.Break:
		s.keep(football.VisualHalfTime, football.SideNone, football.Inferred)
		return
	case football.FullTime:
		s.keep(football.VisualFullTime, football.SideNone, football.Inferred)
		return
	case football.Shootout:
		s.keep(football.VisualPenalty, football.SideNone, football.Inferred)
		return
	}
	if !s.clock.runs && s.clock.Phase == football.NoPhase {
		return // before kick-off
	}
	if last := s.last(); last != nil && s.tau < s.scene.heldUntil && holds[last.state] != 0 {
		last.until = s.at
		return
	}
	state, side, certainty := football.VisualCalm, football.SideNone, football.Unknown
	if known {
		state, side = s.pressureState()
		certainty = football.Inferred
	}
	s.keep(state, side, certainty)
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
		if s.scene.pressing == side+1 && fast >= pressureEnds && 2*fast >= 3*other {
			return side + 1
		}
		if fast >= pressureBegins && fast >= 2*other {
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
