package timeline

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// A provider's list of events and its counters are two sources, which need not agree, and are
// reconciled here: of one side's events of a kind, no more are visible on the timeline than its
// counter says now. Rises and falls of the counter keep to that by themselves. A listed event
// beyond the count is pending: it is hidden until the counter rises or another event is hidden.

// allows reports whether the count allows that a listed event is visible. before holds the events of the list that
// precede it.
func (e *changes) allows(i *input.Incident, event *entry, before []input.Incident) bool {
	count, known := e.count(event.state)
	if !known {
		return true
	}
	side := slices.Index(sides[:], event.side)
	if side < 0 {
		return e.visible(event.state, sides[:]...)+e.visible(event.state, football.SideNone) < count[0]+count[1]
	}
	visible := e.visible(event.state, event.side)
	return visible < count[side] || event.counted == countedBefore && !isTwin(i, before) && visible < e.limit(event.state, count)[side]
}

// isTwin reports whether the list has the same event before.
func isTwin(i *input.Incident, before []input.Incident) bool {
	return slices.ContainsFunc(before, func(b input.Incident) bool {
		return b.Kind == i.Kind && b.Minute == i.Minute && b.Added == i.Added && b.Side == i.Side
	})
}

// limit returns how many events of a kind may be visible at a count. A provider may count a
// player's second yellow card as a red card in place of the first yellow one: these are two
// events, and one count.
func (e *changes) limit(state football.VisualState, count counter.Pair) counter.Pair {
	if state == football.VisualCard {
		return count.Plus(e.Counters.NewestOf(football.RedCards))
	}
	return count
}

// visible returns how many events of a kind and of some sides are visible.
func (e *changes) visible(state football.VisualState, of ...football.Side) (n int) {
	e.each(func(event *entry) bool {
		if event.state == state && !event.hidden && slices.Contains(of, event.side) {
			n++
		}
		return true
	})
	return n
}

// reconcile hides events beyond what a counter says, and shows pending events up to it.
func (e *changes) reconcile() {
	tallies := e.tallies()
	for i, state := range counter.EventStates {
		count, known := e.count(state)
		if !known {
			continue
		}
		limit := e.limit(state, count)
		if tallies[i].fits(limit) {
			continue
		}
		for k, side := range sides {
			for n := e.visible(state, side) - limit[k]; n > 0; n-- {
				e.hideExcess(state, side)
			}
			e.proveByPending(state, side)
			e.dateByList(state, side, count[k])
			for n := count[k] - e.visible(state, side); n > 0 && e.showPending(state, side); n-- {
			}
		}
		none := football.SideNone
		for n := e.visible(state, none) + e.visible(state, sides[:]...) - limit[0] - limit[1]; n > 0 && e.visible(state, none) > 0; n-- {
			e.hideExcess(state, none)
		}
	}
}

// tally is how many events of a kind are visible, and whether others are pending.
type tally struct {
	sides   counter.Pair
	none    int // those without a side
	pending bool
}

// fits reports whether no event of the kind has to go and none could come.
func (s *tally) fits(limit counter.Pair) bool {
	isOver := s.sides[0] > limit[0] || s.sides[1] > limit[1] || s.none > 0 && s.none+s.sides[0]+s.sides[1] > limit[0]+limit[1]
	return !isOver && !s.pending
}

// tallies counts the events of all kinds at once, because most samples leave nothing to reconcile.
func (e *changes) tallies() (of [len(counter.EventStates)]tally) {
	for _, list := range [...][]entry{e.now, e.entries} {
		for k := range list {
			event := &list[k]
			if !event.isEvent() {
				continue
			}
			s := &of[counter.Rank(event.state)]
			switch {
			case event.hidden:
				s.pending = s.pending || e.isPending(event)
			case event.side == football.SideHome:
				s.sides[0]++
			case event.side == football.SideAway:
				s.sides[1]++
			default:
				s.none++
			}
		}
	}
	return of
}

// hideExcess hides the newest of a side's events for which the least speaks.
func (e *changes) hideExcess(state football.VisualState, side football.Side) {
	for _, is := range []func(*entry) bool{
		func(event *entry) bool { return event.proof.withdrawn },
		func(event *entry) bool { return event.proof.mark == 0 },
		e.isMissed,
		func(event *entry) bool { return event.counted == notCounted },
		func(*entry) bool { return true },
	} {
		event := e.newest(state, side, func(event *entry) bool { return !event.hidden && is(event) })
		if event == nil {
			continue
		}
		event.counted = notCounted
		if event.proof.mark == 0 {
			event.fellAt = e.Tau
		}
		e.hide(event, football.CounterFell)
		return
	}
}

// isPending reports whether a listed event is hidden because of the count alone.
func (e *changes) isPending(event *entry) bool {
	return event.hidden && event.proof.mark != 0 && event.fellAt == never && !e.isMissed(event)
}

// proveByPending makes pending events the proof of entries near them that have none.
func (e *changes) proveByPending(state football.VisualState, side football.Side) {
	for {
		var pending *entry
		event := e.newest(state, side, func(event *entry) bool {
			if event.hidden || event.counted == notCounted || event.proof.mark != 0 {
				return false
			}
			pending = e.nearest(state, side, func(w *entry) (int, bool) {
				if !e.isPending(w) {
					return 0, false
				}
				return e.awayFromPending(event, w)
			})
			return pending != nil
		})
		if event == nil {
			return
		}
		e.proveBy(event, pending.proof)
		pending.proof = proof{}
		e.order(event)
	}
}

// awayFromPending is awayFrom for a pending event. If its counter does not rise for long,
// it is an entry near it: the counter fell and rose between two samples.
func (e *changes) awayFromPending(event, pending *entry) (seconds int, ok bool) {
	m := pending.proof.minute
	if seconds, ok = e.awayFrom(event, m); ok || !event.Known || event.Half != m.Half || e.At-pending.proof.listedAt <= 1000*rules.ConfirmWithin {
		return seconds, ok
	}
	seconds = outside(m.From, event.Position)
	return seconds, seconds <= rules.EventMemory
}

// dateByList replaces entries that the list lacks by pending events, if the list has exactly as many
// events of the side as the counter: this fell and rose again, and the list says when they happened.
func (e *changes) dateByList(state football.VisualState, side football.Side, count int) {
	if e.listed(state, side) != count {
		return
	}
	for {
		var pending *entry
		event := e.newest(state, side, func(event *entry) bool {
			if event.hidden || event.counted != countedByRise || event.proof.mark != 0 {
				return false
			}
			pending = e.newest(state, side, func(w *entry) bool { return e.isPending(w) && e.mayHaveShown(event, w) })
			return pending != nil
		})
		if event == nil {
			return
		}
		in := *pending
		if _, isThere := e.awayFrom(pending, pending.proof.minute); !isThere { // it was observed when it was listed
			in.Board = clock.Board{Half: pending.proof.minute.Half, Position: pending.proof.minute.From, Known: true}
		}
		e.movePoints(event, &in)
		event.counted, pending.counted, pending.hidden = notCounted, countedByRise, false
		e.hide(event, football.CounterFell)
		e.order(pending)
	}
}

// listed returns how many events of a side the list has. One that it has twice is one.
func (e *changes) listed(state football.VisualState, side football.Side) int {
	var minutes []clock.Minute
	e.each(func(event *entry) bool {
		if m := event.proof.minute; event.state == state && event.side == side && event.proof.mark != 0 && !e.isMissed(event) && !slices.Contains(minutes, m) {
			minutes = append(minutes, m)
		}
		return true
	})
	return len(minutes)
}

// mayHaveShown reports whether a rise of a counter may have shown a pending event. It did not if it was
// before the event's minute, or if it is so long after the listing that the list may lag.
func (e *changes) mayHaveShown(event, pending *entry) bool {
	m, rise := pending.proof.minute, *event
	if event.fellAt != never {
		rise = e.climbed(event)
	}
	if rise.Known && clock.PlaceOf(rise.Half, rise.Position) < clock.PlaceOf(m.Half, m.From)-rules.EarlyWithin {
		return false
	}
	return rise.at-pending.proof.listedAt <= 1000*rules.ConfirmWithin || e.At-rise.at > 1000*rules.ConfirmWithin
}

// showPending shows the oldest pending event of a side, if there is one.
func (e *changes) showPending(state football.VisualState, side football.Side) bool {
	var oldest *entry
	e.each(func(event *entry) bool {
		if event.state == state && event.side == side && e.isPending(event) {
			oldest = event
		}
		return true
	})
	if oldest == nil {
		return false
	}
	oldest.hidden = false
	if e.awaitingOf(state, side, func(event *entry) bool { return event == oldest }) == nil {
		oldest.counted = countedBefore // too long ago for its counter to be late
	}
	e.order(oldest) // others may have been inserted after it while it was hidden
	return true
}
