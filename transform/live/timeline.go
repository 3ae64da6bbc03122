package live

import (
	"slices"

	"mkt/publish/football"
)

const (
	// maxEntries bounds a timeline; the oldest go first. A match has about 150.
	maxEntries = 600
	// confirmWithin is within how many seconds of scoreboard a provider's event
	// and a counter's movement are one and the same thing.
	confirmWithin = 180
)

// entry is one state of the timeline.
type entry struct {
	at, until int64
	position  int // seconds on the scoreboard
	state     football.VisualState
	certainty football.Certainty
	side      football.Side
	// counted tells that counters showed it; one that only the provider's events
	// showed is waiting for its counter.
	counted bool
}

func (e *entry) public() football.TimelineEntry {
	return football.TimelineEntry{At: utc(e.at), Minute: e.position / 60, Second: e.position % 60,
		State: e.state, Certainty: e.certainty, SideProven: e.side, Until: utc(e.until)}
}

// last is the newest entry, nil when there is none. Only for a timeline that
// this step has made its own.
func (s *State) last() *entry {
	if len(s.timeline) == 0 {
		return nil
	}
	return &s.timeline[len(s.timeline)-1]
}

// enter makes a state the newest, until it is seen to hold for longer.
func (s *State) enter(e entry) {
	if len(s.timeline) >= maxEntries {
		s.timeline = slices.Delete(s.timeline, 0, 1)
	}
	s.timeline = append(s.timeline, e)
}

// keep enters a state, or extends the newest entry when it is that state. What a
// single sample could not tell and the next one infers was so from the first.
func (s *State) keep(state football.VisualState, side football.Side, certainty football.Certainty) {
	last := s.last()
	if last != nil && last.certainty == football.Unknown && certainty == football.Inferred && last.until == last.at &&
		last.state == state {
		last.certainty = certainty
	}
	if last == nil || last.state != state || last.side != side || last.certainty != certainty {
		s.enter(entry{at: s.at, until: s.at, position: s.clock.position, state: state, side: side, certainty: certainty})
		return
	}
	last.until = s.at
}

// byCounters reports what counters or score showed. It is the event already
// reported from the provider's own list, when that awaits its counter.
func (s *State) byCounters(state football.VisualState, side football.Side) (entered bool) {
	if e := s.recent(s.clock.position, func(e *entry) bool {
		return e.state == state && e.certainty == football.Exact && !e.counted && (e.side == side || e.side == football.SideNone)
	}); e != nil {
		e.counted, e.side = true, side
		return false
	}
	s.enter(entry{at: s.at, until: s.at, position: s.clock.position, state: state, side: side,
		certainty: football.Inferred, counted: true})
	return true
}

// byIncident reports an event of the provider's own list: it proves what
// counters showed before, or is news when it is of the last minutes.
func (s *State) byIncident(i *football.Incident) (entered bool) {
	state, ok := stateOf(i.Kind)
	if !ok {
		return false
	}
	from := (i.Minute - 1 + i.Added) * 60
	within := func(position int) int { return clamp(position, from, from+59) }
	if e := s.recent(from, func(e *entry) bool {
		return e.state == state && e.certainty == football.Inferred && (e.side == i.Side || i.Side == football.SideNone)
	}); e != nil {
		e.certainty, e.position = football.Exact, within(e.position)
		return false
	}
	if !s.clock.known || distance(within(s.clock.position), s.clock.position) > confirmWithin {
		return false
	}
	s.enter(entry{at: s.at, until: s.at, position: within(s.clock.position), state: state, side: i.Side,
		certainty: football.Exact})
	return true
}

// recent finds the oldest entry near a place on the scoreboard for which it is
// so.
func (s *State) recent(position int, is func(*entry) bool) *entry {
	from := max(0, len(s.timeline)-40)
	for i := from; i < len(s.timeline); i++ {
		if e := &s.timeline[i]; distance(e.position, position) <= confirmWithin && is(e) {
			return e
		}
	}
	return nil
}

func stateOf(k football.IncidentKind) (football.VisualState, bool) {
	switch k {
	case football.IncidentGoal:
		return football.VisualGoal, true
	case football.IncidentCorner:
		return football.VisualCorner, true
	case football.IncidentYellowCard, football.IncidentRedCard:
		return football.VisualCard, true
	case football.IncidentPenalty:
		return football.VisualPenalty, true
	case football.IncidentSubstitution:
		return football.VisualSubstitution, true
	}
	return "", false
}
