package live

import (
	"cmp"
	"slices"

	"mkt/publish/football"
)

// eventStates are the events that a timeline reports, the most important one last. Of
// several in one sample, that one becomes the state of play.
var eventStates = [...]football.VisualState{football.VisualSubstitution, football.VisualCorner, football.VisualCard,
	football.VisualPenalty, football.VisualGoal}

func rank(s football.VisualState) int { return slices.Index(eventStates[:], s) }

// sampleEvents are the events of one sample, by its counters and by the provider's own
// list. Those that happened just now are collected and entered together, so that the
// most important one becomes the state.
type sampleEvents struct {
	*State
	isBaseline bool
	now        []entry
	holds      map[football.VisualState]int // for how many more seconds each of now is the state
	early      int                          // events inserted before everything observed
}

// insertCollected inserts the collected events at the end of the timeline, those of an earlier
// minute first. After a half, they belong before the half's end. One that the list dates before
// another is inserted before that one and begins with it: its counter rose late.
func (e *sampleEvents) insertCollected() {
	e.now = slices.DeleteFunc(e.now, func(event entry) bool { return event.gone && event.proof.mark == 0 && event.fellAt == never })
	slices.SortStableFunc(e.now, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.minuteOf().half, b.minuteOf().half), cmp.Compare(a.minuteOf().from, b.minuteOf().from), rank(a.state)-rank(b.state))
	})
	at, kicks := e.endOfPlay()
	for i := range e.now {
		entering, to, before := e.now[i], at, len(e.timeline)
		if entering.state == football.VisualPenalty {
			to = kicks
		}
		later := e.firstAfter(&entering)
		if later >= 0 {
			to = later
		}
		if to < len(e.timeline) {
			entering.at = e.timeline[to].at
		}
		e.insert(to, entering)
		if grown := len(e.timeline) - before; to <= at {
			at, kicks = at+grown, kicks+grown
		} else {
			kicks += grown
		}
		if later < 0 {
			e.scene.heldUntil = e.tau + e.holds[entering.state]
		}
	}
}

// endOfPlay returns where what was observed just now belongs: after all other entries, or before
// the end of the half if it is over. Penalties are the kicks of a shoot-out if there is one, and
// belong to the end of that.
func (e *sampleEvents) endOfPlay() (at, kicks int) {
	at = len(e.timeline)
	for at > 0 && e.rests() && isRest(e.timeline[at-1].state) {
		at--
	}
	kicks = at
	for i := at - 1; i >= 0 && e.rests() && e.timeline[i].state == football.VisualPenalty; i-- {
		if e.timeline[i].isRest() {
			at = i
		}
	}
	return at, kicks
}

// firstAfter returns the index of the first event that the list dates after another; -1 if there is none.
func (e *sampleEvents) firstAfter(event *entry) int {
	if event.proof.mark == 0 {
		return -1
	}
	return slices.IndexFunc(e.timeline, func(later entry) bool {
		return later.proof.mark != 0 && !later.gone && later.proof.minute.isAfter(event.proof.minute)
	})
}

// minuteOf returns the minute of play that an entry belongs to: that of its proof, or
// that of its observation.
func (e *entry) minuteOf() minute {
	if e.proof.mark != 0 {
		return e.proof.minute
	}
	return minute{e.half, e.position - e.position%60}
}

func (e *sampleEvents) add(event entry, seconds int) {
	e.now = append(e.now, event)
	e.holds[event.state] = max(e.holds[event.state], seconds)
}

// each calls do for every event that is on the timeline or was collected, the newest
// first, until do returns false. do may change the event.
func (e *sampleEvents) each(do func(*entry) bool) {
	e.editTimeline()
	for _, list := range [][]entry{e.now, e.timeline} {
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].isEvent() && !do(&list[i]) {
				return
			}
		}
	}
}

// newest returns the newest event of a state and side for which is returns true, and
// nil if there is none.
func (e *sampleEvents) newest(state football.VisualState, side football.Side, is func(*entry) bool) (found *entry) {
	e.each(func(event *entry) bool {
		if event.state == state && event.side == side && is(event) {
			found = event
		}
		return found == nil
	})
	return found
}

// nearest returns the event of a state and side with the least distance, and nil if
// there is none. An event whose side is not known counts for either side. Of two
// events that are equally near, it returns the older one.
func (e *sampleEvents) nearest(state football.VisualState, side football.Side, away func(*entry) (distance int, ok bool)) (found *entry) {
	least := 0
	e.each(func(event *entry) bool {
		if event.state != state || event.side != side && event.side != football.SideNone && side != football.SideNone {
			return true
		}
		if d, ok := away(event); ok && (found == nil || d <= least) {
			found, least = event, d
		}
		return true
	})
	return found
}

// counterRoseInGap handles a counter or score that rose by one during a gap. It cannot be
// dated, unless an event of the provider's own list still awaits its counter.
func (e *sampleEvents) counterRoseInGap(state football.VisualState, side football.Side) {
	awaiting := e.awaiting(state, side)
	if awaiting == nil {
		awaiting = e.newest(state, side, func(event *entry) bool { return event.proof.mark != 0 && event.gone && !e.isMissed(event) })
	}
	if awaiting != nil {
		awaiting.counted, awaiting.gone, awaiting.fellAt = countedBefore, false, never
		e.order(awaiting)
	}
}

// counterRose handles a counter or score that rose by one just now. If an event of the
// provider's own list still awaits its counter, it is that event, and otherwise one that a
// counter took back long ago and the list still holds.
func (e *sampleEvents) counterRose(state football.VisualState, side football.Side) {
	awaiting := e.awaiting(state, side)
	event := entry{boardPosition: e.boardPosition(), at: e.at, state: state, side: side, certainty: football.Inferred, counted: countedByRise, fellAt: never}
	switch {
	case awaiting == nil:
		if back := e.newest(state, side, e.isListedAndFell); back != nil {
			e.movePoints(&event, back)
			back.counted, back.gone, back.fellAt = countedByRise, false, never
			e.order(back)
			return
		}
		e.add(event, eventSeconds[state])
	case awaiting.gone:
		event.certainty, event.proof, awaiting.proof = football.Exact, awaiting.proof, proof{}
		awaiting.fellAt = never
		e.add(event, eventSeconds[state])
		e.order(&e.now[len(e.now)-1])
	default:
		awaiting.counted, awaiting.fellAt = countedByRise, never
		if awaiting.side == football.SideNone {
			awaiting.side = side
		}
	}
}

// awaiting returns the nearest event that the provider listed and no counter has shown
// yet, and nil if none is near enough. One that a counter took back comes last.
func (e *sampleEvents) awaiting(state football.VisualState, side football.Side) *entry {
	event := e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt == never })
	if event == nil {
		event = e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt != never })
	}
	return event
}

func (e *sampleEvents) awaitingOf(state football.VisualState, side football.Side, is func(*entry) bool) *entry {
	here := e.boardPosition()
	return e.nearest(state, side, func(event *entry) (int, bool) {
		if event.proof.mark == 0 || event.counted != notCounted || !is(event) {
			return 0, false
		}
		if here.known && here.half == event.proof.minute.half {
			d := outside(event.proof.minute.from, here.position)
			return d, d <= confirmWithin
		}
		d := int((e.at - event.proof.listedAt) / 1000)
		return d, d <= confirmWithin
	})
}

func outside(from, position int) int { return max(0, from-position, position-(from+59)) }

// counterFell handles a counter or score that fell by one: an event that it counted did
// not happen, whether or not the provider's own list still holds it.
func (e *sampleEvents) counterFell(state football.VisualState, side football.Side) {
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
	e.discount(event)
	if event.proof.mark == 0 || e.isMissed(event) || e.isNew(event) {
		e.hide(event)
	}
}

// isListedAndFell reports whether the counter of an event fell, and the list still holds it.
func (e *sampleEvents) isListedAndFell(event *entry) bool {
	return event.gone && event.counted == notCounted && event.fellAt != never && event.proof.mark != 0 && !e.isMissed(event)
}

func (e *sampleEvents) isNew(event *entry) bool { return e.at-event.at <= 1000*eventMemory }

// discount takes an event out of what its counter shows.
func (e *sampleEvents) discount(event *entry) {
	e.movePoints(event, nil)
	event.counted, event.fellAt = notCounted, e.tau
}

// counterRecovered handles a counter that fell and climbed back by one. If an event is
// listed that no counter has shown, or the provider withdrew what the counter had
// shown, another one happened.
func (e *sampleEvents) counterRecovered(state football.VisualState, side football.Side) {
	event := e.newest(state, side, func(event *entry) bool { return event.counted == notCounted && e.mayRecover(event) })
	other := e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt == never })
	switch {
	case event == nil && other == nil: // the fall was of an event from before the first sample
	case other != nil || event.proof.withdrawn:
		if event != nil {
			event.fellAt = never
		}
		e.counterRose(state, side)
		e.movePoints(nil, &entry{boardPosition: e.boardPosition(), state: state, side: side, counted: countedByRise})
	default:
		event.counted, event.gone, event.fellAt = countedByRise, false, e.tau
		e.movePoints(nil, event)
	}
}

// countTurned handles a count that moved from the other side to this one: the event
// was this side's. If the provider's own list names the side of an event, the list is
// right.
func (e *sampleEvents) countTurned(state football.VisualState, to football.Side) {
	from := football.SideHome
	if to == football.SideHome {
		from = football.SideAway
	}
	isUnproven := func(event *entry) bool { return event.counted == countedByRise && event.proof.mark == 0 }
	if awaiting := e.awaiting(state, to); awaiting != nil && awaiting.side == to {
		awaiting.counted, awaiting.gone, awaiting.fellAt = countedByRise, false, never
		event := e.nearest(state, from, func(event *entry) (int, bool) {
			return outside(awaiting.proof.minute.from, event.position), isUnproven(event) && event.half == awaiting.proof.minute.half
		})
		if event != nil {
			event.counted = notCounted
			e.hide(event)
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
