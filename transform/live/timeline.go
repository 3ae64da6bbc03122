package live

import (
	"slices"

	"mkt/publish/football"
)

const (
	// maxEntries bounds a timeline; the oldest entries are dropped first. A match
	// has about 150.
	maxEntries = 600
	// confirmWithin is how many seconds a counter and the provider's own event of
	// one and the same thing may lie apart.
	confirmWithin = 180
	// earlyWithin is how many seconds before its minute an event may have been
	// seen in a counter.
	earlyWithin = 20
)

// place is a place on the scoreboard.
type place struct {
	half      int // the half that position belongs to, 0 before kick-off
	position  int // seconds on the scoreboard
	precision precision
}

// precision is what is known of a place.
type precision int

const (
	placeUnknown precision = iota // no timer was sent
	placeMinute                   // the minute alone, from a provider's event
	placeSecond                   // minute and second
)

// entry is one observation of the timeline, as it is stored. What is published
// is made of the entries by published.
type entry struct {
	place
	at        int64 // when it was observed; see news.enterTold for an event that was listed late
	toldAt    int64 // when the provider's list first held its event, 0 without one
	state     football.VisualState
	certainty football.Certainty
	side      football.Side

	// An event stands on the timeline because a counter or the score rose, or
	// because the provider's list holds it, or for both reasons.
	counted bool
	proof   uint32 // mark of the provider's event, 0 without one
	// fellAt is when (in seconds of tau) the counter fell again, never if it did
	// not; a counter that climbs back soon restores the entry.
	fellAt int
	// gone hides an event for which no reason is left. It is removed when its
	// counter has had the time to climb back.
	gone bool
}

// last is the newest entry that is not hidden, nil when there is none. Call it
// only for a timeline that this step has made its own.
func (s *State) last() *entry {
	for i := len(s.timeline) - 1; i >= 0; i-- {
		if e := &s.timeline[i]; !e.gone {
			return e
		}
	}
	return nil
}

// insert puts an entry at a place of the timeline.
func (s *State) insert(at int, e entry) {
	s.timeline = slices.Insert(s.timeline, at, e)
	if len(s.timeline) > maxEntries {
		s.timeline = slices.Delete(s.timeline, 0, 1)
	}
}

// keep enters a state that lasts, unless the newest entry is that state already.
// What a single sample could not tell and the next one infers was so from the
// first.
func (s *State) keep(at int64, state football.VisualState, side football.Side, certainty football.Certainty) {
	last := s.last()
	if last != nil && last.certainty == football.Unknown && certainty == football.Inferred && s.heldAt == last.at && last.state == state {
		last.certainty = certainty
	}
	if last == nil || last.state != state || last.side != side || (last.certainty == football.Unknown) != (certainty == football.Unknown) {
		s.insert(len(s.timeline), entry{place: s.place(), at: at, state: state, side: side, certainty: certainty, fellAt: never})
	}
}

// place is where the scoreboard is now. A clock that stands at the end of a half
// may have been set back to the half's last minute: then the half ended where the
// clock was last seen to run.
func (s *State) place() place {
	c := &s.clock
	switch {
	case c.Phase.Half() == 0 && c.half != 0 && s.ranTo > 0:
		p := place{c.half, s.ranTo, placeSecond}
		if c.known {
			p.position = max(p.position, c.position)
		}
		return p
	case c.known:
		return place{c.half, c.position, placeSecond}
	}
	return place{}
}

// purge removes hidden events that no counter can bring back any more.
func (s *State) purge() {
	s.timeline = slices.DeleteFunc(s.timeline, func(e entry) bool { return e.gone && !s.mayComeBack(&e) })
}

// mayComeBack reports whether the counter of an event fell so lately that it may
// be climbing back.
func (s *State) mayComeBack(e *entry) bool { return e.fellAt != never && s.tau-e.fellAt <= eventMemory }

// eventStates are the events that a timeline reports, the one that matters most
// last: of several in one sample it is the state of play.
var eventStates = [...]football.VisualState{football.VisualSubstitution, football.VisualCorner, football.VisualCard,
	football.VisualPenalty, football.VisualGoal}

func rank(s football.VisualState) int { return slices.Index(eventStates[:], s) }

// news collects the events of one sample that happened just now. They are
// entered together, so that the one that matters most becomes the state.
type news struct {
	*State
	isBaseline bool
	events     []entry
	holds      map[football.VisualState]int // for how many more seconds each is the state
	before     int                          // events entered that happened before everything observed
}

// enter puts the collected events at the end of the timeline.
func (n *news) enter() {
	slices.SortStableFunc(n.events, func(a, b entry) int { return rank(a.state) - rank(b.state) })
	for _, e := range n.events {
		n.insert(len(n.timeline), e)
		n.scene.heldUntil = n.tau + n.holds[e.state]
	}
}

// add collects an event that is the state of play for some seconds more.
func (n *news) add(e entry, seconds int) {
	n.events = append(n.events, e)
	n.holds[e.state] = max(n.holds[e.state], seconds)
}

// each calls do with every event that stands on the timeline or was collected,
// the newest first, until it returns false.
func (n *news) each(do func(*entry) bool) {
	for _, list := range [][]entry{n.events, n.timeline} {
		for i := len(list) - 1; i >= 0; i-- {
			if rank(list[i].state) >= 0 && !do(&list[i]) {
				return
			}
		}
	}
}

// nearest is the event of a state and side with the least distance, nil when
// there is none. An event whose side is not known is of either side. Of two that
// are equally near it is the older one.
func (n *news) nearest(state football.VisualState, side football.Side, away func(*entry) (distance int, ok bool)) (found *entry) {
	least := 0
	n.each(func(e *entry) bool {
		if e.state != state || e.side != side && e.side != football.SideNone && side != football.SideNone {
			return true
		}
		if d, ok := away(e); ok && (found == nil || d <= least) {
			found, least = e, d
		}
		return true
	})
	return found
}

// rose reports that a counter or the score rose by one. That is the event which
// the provider's own list held before, if one still awaits its counter.
func (n *news) rose(state football.VisualState, side football.Side) {
	now := entry{place: n.place(), at: n.at, state: state, side: side, certainty: football.Inferred, counted: true, fellAt: never}
	e := n.nearest(state, side, func(e *entry) (int, bool) {
		if e.proof == 0 || e.counted {
			return 0, false
		}
		d := n.apart(e, &now)
		return d, d <= confirmWithin
	})
	if e == nil {
		n.add(now, holds[state])
		return
	}
	e.counted, e.fellAt = true, never
	if e.side == football.SideNone {
		e.side = side
	}
}

// apart is how many seconds lie between two entries: on the scoreboard if both
// have a place on that of one half, else by the time of observation.
func (n *news) apart(a, b *entry) int {
	if a.half == b.half && a.precision != placeUnknown && b.precision != placeUnknown {
		return distance(a.position, b.position)
	}
	return int(distance(a.at, b.at) / 1000)
}

// fell reports that a counter or the score fell by one: the newest event that it
// had counted did not happen. One that the provider's own list still holds stays
// until it is withdrawn there.
func (n *news) fell(state football.VisualState, side football.Side) {
	if e := n.newest(state, side, func(e *entry) bool { return e.counted && e.proof == 0 }); e != nil {
		e.counted, e.fellAt = false, n.tau
		n.hide(e)
		return
	}
	if e := n.newest(state, side, func(e *entry) bool { return e.counted }); e != nil {
		e.counted, e.fellAt = false, n.tau
	}
}

// hide hides an event that did not happen. The state of play is another then.
func (n *news) hide(e *entry) {
	if e == n.last() {
		n.scene.heldUntil = never
	}
	e.gone = true
}

// cameBack reports that a counter which fell climbed back by one.
func (n *news) cameBack(state football.VisualState, side football.Side) {
	if e := n.newest(state, side, func(e *entry) bool { return !e.counted && n.mayComeBack(e) }); e != nil {
		e.counted, e.gone, e.fellAt = true, false, never
	}
}

// turned reports that a count moved from the other side to this one.
func (n *news) turned(state football.VisualState, to football.Side) {
	from := football.SideHome
	if to == football.SideHome {
		from = football.SideAway
	}
	if e := n.newest(state, from, func(e *entry) bool { return e.counted && e.proof == 0 }); e != nil {
		e.side = to
	}
}

// newest is the newest event of a state and side for which it is so.
func (n *news) newest(state football.VisualState, side football.Side, is func(*entry) bool) (found *entry) {
	n.each(func(e *entry) bool {
		if e.state == state && e.side == side && is(e) {
			found = e
		}
		return found == nil
	})
	return found
}
