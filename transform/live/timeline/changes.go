package timeline

import (
	"cmp"
	"slices"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// changes enter the events of one sample in the timeline, by its counters and by the provider's own
// list. Those that happened just now are collected and entered together, so that the
// most important one becomes the state.
type changes struct {
	*Timeline
	*Step
	isBaseline bool
	now        []entry
	holds      map[football.VisualState]int // for how many more seconds each of now is the state
	early      int                          // events inserted before everything observed
}

func (e *changes) add(event entry, seconds int) {
	e.now = append(e.now, event)
	e.holds[event.state] = max(e.holds[event.state], seconds)
}

// each calls do for every event that is on the timeline or was collected, the newest
// first, until do returns false. do may change the event.
func (e *changes) each(do func(*entry) bool) {
	e.edit()
	for _, list := range [][]entry{e.now, e.entries} {
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].isEvent() && !do(&list[i]) {
				return
			}
		}
	}
}

// newest returns the newest event of a state and side for which is returns true, and
// nil if there is none.
func (e *changes) newest(state football.VisualState, side football.Side, is func(*entry) bool) (found *entry) {
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
func (e *changes) nearest(state football.VisualState, side football.Side, away func(*entry) (distance int, ok bool)) (found *entry) {
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

// awayFrom returns how many seconds outside a minute an entry was observed. ok is false
// if it is too far away to be what happened in that minute. Without a scoreboard, the
// time of observation is used.
func (e *changes) awayFrom(event *entry, m clock.Minute) (seconds int, ok bool) {
	switch {
	case !event.Known:
		seconds = int((e.At - event.at) / 1000)
		return seconds, seconds <= rules.ConfirmWithin+60
	case event.Half != m.Half:
		return 0, false
	case event.Position < m.From:
		return m.From - event.Position, m.From-event.Position <= rules.EarlyWithin
	}
	seconds = outside(m.From, event.Position)
	return seconds, seconds <= rules.ConfirmWithin
}

// order sorts the proofs of one side's events by minute, and moves an event before
// those that the provider dates later.
func (e *changes) order(event *entry) {
	e.each(func(before *entry) bool {
		if before.state == event.state && before.side == event.side && before.proof.mark != 0 && !before.hidden && before.at < event.at && before.proof.minute.IsAfter(event.proof.minute) {
			before.proof, event.proof = event.proof, before.proof
		}
		return true
	})
	for i, moved := range e.entries {
		if moved.proof.mark == 0 {
			continue
		}
		to := slices.IndexFunc(e.entries[:i], func(before entry) bool {
			return before.proof.mark != 0 && before.proof.minute.IsAfter(moved.proof.minute)
		})
		if to >= 0 {
			moved.at = e.entries[to].at
			copy(e.entries[to+1:i+1], e.entries[to:i])
			e.entries[to] = moved
		}
	}
}

// awaiting returns the nearest event that the provider listed and no counter has shown
// yet, and nil if none is near enough. One that a counter took back comes last.
func (e *changes) awaiting(state football.VisualState, side football.Side) *entry {
	event := e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt == never })
	if event == nil {
		event = e.awaitingOf(state, side, func(event *entry) bool { return event.fellAt != never })
	}
	return event
}

func (e *changes) awaitingOf(state football.VisualState, side football.Side, is func(*entry) bool) *entry {
	here := e.Board
	return e.nearest(state, side, func(event *entry) (int, bool) {
		if event.proof.mark == 0 || event.counted != notCounted || !is(event) {
			return 0, false
		}
		if here.Known && here.Half == event.proof.minute.Half {
			d := outside(event.proof.minute.From, here.Position)
			return d, d <= rules.ConfirmWithin
		}
		d := int((e.At - event.proof.listedAt) / 1000)
		return d, d <= rules.ConfirmWithin
	})
}

// movePoints moves the points of a corner from the minute in which an entry was observed to
// that of another. Either may be nil.
func (n *Step) movePoints(from, to *entry) {
	if from != nil && from.counted == countedByRise {
		n.addCorner(from, -rules.PointsCorner)
	}
	if to != nil {
		n.addCorner(to, rules.PointsCorner)
	}
}

func (n *Step) addCorner(event *entry, points int) {
	side := slices.Index(sides[:], event.side)
	if event.state == football.VisualCorner && side >= 0 && event.Known && event.Half != 0 && counter.SupplyOf(n.Counters.Newest).Any() {
		n.Minutes.AddCorner(event.Board, side, points)
	}
}

// climbed returns where an entry would have been observed when its counter climbed back.
func (e *changes) climbed(event *entry) entry {
	since := e.Tau - event.fellAt
	rise := entry{Board: e.Board, at: e.At - int64(since)*1000, state: event.state}
	rise.Position -= since
	return rise
}

func (e *changes) proveBy(event *entry, p proof) {
	event.certainty, event.proof, event.fellAt = football.Exact, p, never
}

// insertCollected inserts the collected events at the end of the timeline, those of an earlier
// minute first. After a half, they belong before the half's end. One that the list dates before
// another is inserted before that one and begins with it: its counter rose late.
func (e *changes) insertCollected() {
	e.now = slices.DeleteFunc(e.now, func(event entry) bool { return event.hidden && event.proof.mark == 0 && event.fellAt == never })
	slices.SortStableFunc(e.now, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.minuteOf().Half, b.minuteOf().Half), cmp.Compare(a.minuteOf().From, b.minuteOf().From), counter.Rank(a.state)-counter.Rank(b.state))
	})
	at, kicks := e.endOfPlay()
	for i := range e.now {
		entering, to, before := e.now[i], at, len(e.entries)
		if entering.state == football.VisualPenalty {
			to = kicks
		}
		later := e.firstAfter(&entering)
		if later >= 0 {
			to = later
		}
		if to < len(e.entries) {
			entering.at = e.entries[to].at
		}
		e.insert(to, entering)
		if grown := len(e.entries) - before; to <= at {
			at, kicks = at+grown, kicks+grown
		} else {
			kicks += grown
		}
		if later < 0 {
			e.recent.heldUntil = e.Tau + e.holds[entering.state]
		}
	}
}

// endOfPlay returns where what was observed just now belongs: after all other entries, or before
// the end of the half if it is over. Penalties are the kicks of a shoot-out if there is one, and
// belong to the end of that.
func (e *changes) endOfPlay() (at, kicks int) {
	at = len(e.entries)
	for at > 0 && e.Clock.Rests() && isRest(e.entries[at-1].state) {
		at--
	}
	kicks = at
	for i := at - 1; i >= 0 && e.Clock.Rests() && e.entries[i].state == football.VisualPenalty; i-- {
		if e.entries[i].isRest() {
			at = i
		}
	}
	return at, kicks
}

// firstAfter returns the index of the first event that the list dates after another; -1 if there is none.
func (e *changes) firstAfter(event *entry) int {
	if event.proof.mark == 0 {
		return -1
	}
	return slices.IndexFunc(e.entries, func(later entry) bool {
		return later.proof.mark != 0 && !later.hidden && later.proof.minute.IsAfter(event.proof.minute)
	})
}
