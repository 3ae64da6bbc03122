package timeline

import (
	"cmp"

	"mkt/publish/football"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

func (e *changes) corrections(m *counter.Movement) {
	for i, state := range counter.EventStates {
		c := &m.Events[i]
		e.times(c.Turned, state, e.countTurned)
		e.times(c.Down.Plus(m.Undated[i].Down), state, e.counterFell)
		e.times(c.Back, state, e.counterRecovered)
	}
}

func (e *changes) rises(m *counter.Movement) {
	for i, state := range counter.EventStates {
		e.times(m.Events[i].Up, state, e.counterRose)
		e.times(m.Undated[i].Up, state, e.counterRoseInGap)
	}
}

// times calls report once for each step of a counter, and at most MaxDelta times: a
// counter that moves further is broken.
func (e *changes) times(of counter.Pair, state football.VisualState, report func(football.VisualState, football.Side)) {
	for side, times := range of {
		for range min(times, rules.MaxDelta) {
			report(state, sides[side])
		}
	}
}

// counterRoseInGap handles a counter or score that rose by one during a gap. It cannot be
// dated, unless an event of the provider's own list still awaits its counter.
func (e *changes) counterRoseInGap(state football.VisualState, side football.Side) {
	awaiting := e.awaiting(state, side)
	if awaiting == nil {
		awaiting = e.newest(state, side, func(event *entry) bool { return event.proof.mark != 0 && event.hidden && !e.isMissed(event) })
	}
	if awaiting != nil {
		awaiting.counted, awaiting.hidden, awaiting.fellAt = countedBefore, false, never
		e.order(awaiting)
	}
}

// counterRose handles a counter or score that rose by one just now. If an event of the
// provider's own list still awaits its counter, it is that event, and otherwise one that a
// counter took back long ago and the list still holds.
func (e *changes) counterRose(state football.VisualState, side football.Side) {
	awaiting := e.awaiting(state, side)
	event := entry{Board: e.Board, at: e.At, state: state, side: side, certainty: football.Inferred, counted: countedByRise, fellAt: never}
	switch {
	case awaiting == nil:
		if back := e.newest(state, side, e.isListedAndFell); back != nil {
			e.movePoints(&event, back)
			back.counted, back.hidden, back.fellAt = countedByRise, false, never
			e.order(back)
			return
		}
		e.add(event, rules.EventSeconds[state])
	case awaiting.hidden:
		event.certainty, event.proof, awaiting.proof = football.Exact, awaiting.proof, proof{}
		awaiting.fellAt = never
		event.number, awaiting.number = awaiting.number, e.numbers.next()
		e.add(event, rules.EventSeconds[state])
		e.order(&e.now[len(e.now)-1])
	default:
		awaiting.counted, awaiting.fellAt = countedByRise, never
		if awaiting.side == football.SideNone {
			awaiting.side = side
		}
	}
}

// counterFell handles a counter or score that fell by one: an event that it counted did
// not happen, whether or not the provider's own list still holds it.
func (e *changes) counterFell(state football.VisualState, side football.Side) {
	isCounted := func(event *entry) bool { return event.counted != notCounted }
	isUnproven := func(event *entry) bool { return event.counted == countedByRise && event.proof.mark == 0 }
	event := e.newest(state, side, func(event *entry) bool { return isCounted(event) && e.isMissed(event) })
	if event == nil {
		// The newest one, if it is new; else the newest that the provider never listed.
		event = e.newest(state, side, isCounted)
		if event != nil && !isUnproven(event) && !e.isNew(event) {
			event = cmp.Or(e.newest(state, side, isUnproven), event)
		}
	}
	if event == nil {
		return
	}
	e.uncount(event)
	if event.proof.mark == 0 || e.isMissed(event) || e.isNew(event) {
		e.hide(event, football.CounterFell)
	}
}

// isListedAndFell reports whether the counter of an event fell, and the list still holds it.
func (e *changes) isListedAndFell(event *entry) bool {
	return event.hidden && event.counted == notCounted && event.fellAt != never && event.proof.mark != 0 && !e.isMissed(event)
}

func (e *changes) isNew(event *entry) bool { return e.At-event.at <= 1000*rules.EventMemory }

// uncount records that the counter of an event does not include it any more.
func (e *changes) uncount(event *entry) {
	e.movePoints(event, nil)
	event.counted, event.fellAt = notCounted, e.Tau
}

// counterRecovered handles a counter that fell and climbed back by one. If an event is
// listed that no counter has shown, or the provider withdrew what the counter had
// shown, another one happened.
func (e *changes) counterRecovered(state football.VisualState, side football.Side) {
	event := e.newest(state, side, func(event *entry) bool { return event.counted == notCounted && e.mayRecover(event, e.Step) })
	other := e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt == never })
	switch {
	case event == nil && other == nil: // the fall was of an event from before the first sample
	case other != nil || event.proof.withdrawn:
		if event != nil {
			event.fellAt = never
		}
		e.counterRose(state, side)
		e.movePoints(nil, &entry{Board: e.Board, state: state, side: side, counted: countedByRise})
	default:
		event.counted, event.hidden, event.fellAt = countedByRise, false, e.Tau
		e.movePoints(nil, event)
	}
}

// countTurned handles a count that moved from the other side to this one: the event
// was this side's. If the provider's own list names the side of an event, the list is
// right.
func (e *changes) countTurned(state football.VisualState, to football.Side) {
	from := football.SideHome
	if to == football.SideHome {
		from = football.SideAway
	}
	isUnproven := func(event *entry) bool { return event.counted == countedByRise && event.proof.mark == 0 }
	if awaiting := e.awaiting(state, to); awaiting != nil && awaiting.side == to {
		awaiting.counted, awaiting.hidden, awaiting.fellAt = countedByRise, false, never
		event := e.nearest(state, from, func(event *entry) (int, bool) {
			return outside(awaiting.proof.minute.From, event.Position), isUnproven(event) && event.Half == awaiting.proof.minute.Half
		})
		if event != nil {
			event.counted = notCounted
			e.hide(event, football.CounterFell)
		}
		return
	}
	if event := e.newest(state, from, isUnproven); event != nil {
		event.side = to
		return
	}
	if event := e.newest(state, from, func(event *entry) bool { return event.counted != notCounted }); event != nil {
		event.counted = notCounted
		e.counterRose(state, to)
	}
}
