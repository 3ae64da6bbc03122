package live

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Of one side's events of a kind, no more stand on the timeline than its counter says now.
// Rises and falls keep to that by themselves. A listed event that the counter has no room for
// waits, hidden, until the counter rises or another one leaves.

// hasRoom reports whether a listed event may stand. before holds the events of the list that
// precede it.
func (e *changes) hasRoom(i *input.Incident, event *entry, before []input.Incident) bool {
	count, known := e.count(event.state)
	if !known {
		return true
	}
	side := slices.Index(sides[:], event.side)
	if side < 0 {
		return e.standing(event.state, sides[:]...)+e.standing(event.state, football.SideNone) < count[0]+count[1]
	}
	standing := e.standing(event.state, event.side)
	return standing < count[side] || event.counted == countedBefore && !isTwin(i, before) && standing < e.limit(event.state, count)[side]
}

// isTwin reports whether the list has the same event before.
func isTwin(i *input.Incident, before []input.Incident) bool {
	return slices.ContainsFunc(before, func(b input.Incident) bool {
		return b.Kind == i.Kind && b.Minute == i.Minute && b.Added == i.Added && b.Side == i.Side
	})
}

// limit returns how many events of a kind may stand at a count. A provider may count a
// player's second yellow card as a red card in place of the first yellow one: these are two
// events, and one count.
func (e *changes) limit(state football.VisualState, count pair) pair {
	if state == football.VisualCard {
		return count.plus(e.counters.newestOf(football.RedCards))
	}
	return count
}

func (e *changes) standing(state football.VisualState, of ...football.Side) (n int) {
	e.each(func(event *entry) bool {
		if event.state == state && !event.gone && slices.Contains(of, event.side) {
			n++
		}
		return true
	})
	return n
}

// settle hides what is more than a counter says, and shows waiting events where there is
// room again.
func (e *changes) settle() {
	standing := e.shown()
	for i, state := range eventStates {
		count, known := e.count(state)
		if !known {
			continue
		}
		limit := e.limit(state, count)
		if standing[i].fits(limit) {
			continue
		}
		for k, side := range sides {
			for n := e.standing(state, side) - limit[k]; n > 0; n-- {
				e.hideExcess(state, side)
			}
			e.adoptWaiting(state, side)
			e.dateByList(state, side, count[k])
			for n := count[k] - e.standing(state, side); n > 0 && e.showWaiting(state, side); n-- {
			}
		}
		none := football.SideNone
		for n := e.standing(state, none) + e.standing(state, sides[:]...) - limit[0] - limit[1]; n > 0 && e.standing(state, none) > 0; n-- {
			e.hideExcess(state, none)
		}
	}
}

// shown is how many events of a kind stand, and whether others wait.
type shown struct {
	sides   pair
	none    int // those without a side
	waiting bool
}

// fits reports whether no event of the kind has to go and none could come.
func (s *shown) fits(limit pair) bool {
	isOver := s.sides[0] > limit[0] || s.sides[1] > limit[1] || s.none > 0 && s.none+s.sides[0]+s.sides[1] > limit[0]+limit[1]
	return !isOver && !s.waiting
}

// shown counts the events of all kinds at once, because most samples leave nothing to settle.
func (e *changes) shown() (of [len(eventStates)]shown) {
	for _, list := range [...][]entry{e.now, e.entries} {
		for k := range list {
			event := &list[k]
			if !event.isEvent() {
				continue
			}
			s := &of[rank(event.state)]
			switch {
			case event.gone:
				s.waiting = s.waiting || e.isWaiting(event)
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
		event := e.newest(state, side, func(event *entry) bool { return !event.gone && is(event) })
		if event == nil {
			continue
		}
		event.counted = notCounted
		if event.proof.mark == 0 {
			event.fellAt = e.tau
		}
		e.hide(event)
		return
	}
}

func (e *changes) isWaiting(event *entry) bool {
	return event.gone && event.proof.mark != 0 && event.fellAt == never && !e.isMissed(event)
}

// adoptWaiting makes waiting events the proof of entries near them that have none.
func (e *changes) adoptWaiting(state football.VisualState, side football.Side) {
	for {
		var waiting *entry
		event := e.newest(state, side, func(event *entry) bool {
			if event.gone || event.counted == notCounted || event.proof.mark != 0 {
				return false
			}
			waiting = e.nearest(state, side, func(w *entry) (int, bool) {
				if !e.isWaiting(w) {
					return 0, false
				}
				return e.awayFromWaiting(event, w)
			})
			return waiting != nil
		})
		if event == nil {
			return
		}
		e.proveBy(event, waiting.proof)
		waiting.proof = proof{}
		e.order(event)
	}
}

// awayFromWaiting is awayFrom for an event that waits. If its counter does not rise for long,
// it is an entry near it: the counter fell and rose between two samples.
func (e *changes) awayFromWaiting(event, waiting *entry) (seconds int, ok bool) {
	m := waiting.proof.minute
	if seconds, ok = e.awayFrom(event, m); ok || !event.known || event.half != m.half || e.at-waiting.proof.listedAt <= 1000*confirmWithin {
		return seconds, ok
	}
	seconds = outside(m.from, event.position)
	return seconds, seconds <= eventMemory
}

// dateByList replaces entries that the list lacks by events that wait, if the list has exactly as many
// events of the side as the counter: this fell and rose again, and the list says when they happened.
func (e *changes) dateByList(state football.VisualState, side football.Side, count int) {
	if e.listed(state, side) != count {
		return
	}
	for {
		var waiting *entry
		event := e.newest(state, side, func(event *entry) bool {
			if event.gone || event.counted != countedByRise || event.proof.mark != 0 {
				return false
			}
			waiting = e.newest(state, side, func(w *entry) bool { return e.isWaiting(w) && e.mayBe(event, w) })
			return waiting != nil
		})
		if event == nil {
			return
		}
		in := *waiting
		if _, isThere := e.awayFrom(waiting, waiting.proof.minute); !isThere { // it was observed when it was listed
			in.boardPosition = boardPosition{waiting.proof.minute.half, waiting.proof.minute.from, true}
		}
		e.movePoints(event, &in)
		event.counted, waiting.counted, waiting.gone = notCounted, countedByRise, false
		e.hide(event)
		e.order(waiting)
	}
}

// listed returns how many events of a side the list has. One that it has twice is one.
func (e *changes) listed(state football.VisualState, side football.Side) int {
	var minutes []minute
	e.each(func(event *entry) bool {
		if m := event.proof.minute; event.state == state && event.side == side && event.proof.mark != 0 && !e.isMissed(event) && !slices.Contains(minutes, m) {
			minutes = append(minutes, m)
		}
		return true
	})
	return len(minutes)
}

// mayBe reports whether a rise of a counter may have shown an event that waits. It did not if it was
// before the event's minute, or if it is so long after the listing that the list may lag.
func (e *changes) mayBe(event, waiting *entry) bool {
	m, rise := waiting.proof.minute, *event
	if event.fellAt != never {
		rise = e.climbed(event)
	}
	if rise.known && placeOf(rise.half, rise.position) < placeOf(m.half, m.from)-earlyWithin {
		return false
	}
	return rise.at-waiting.proof.listedAt <= 1000*confirmWithin || e.at-rise.at > 1000*confirmWithin
}

// showWaiting shows the oldest waiting event of a side, if there is one.
func (e *changes) showWaiting(state football.VisualState, side football.Side) bool {
	var oldest *entry
	e.each(func(event *entry) bool {
		if event.state == state && event.side == side && e.isWaiting(event) {
			oldest = event
		}
		return true
	})
	if oldest == nil {
		return false
	}
	oldest.gone = false
	if e.awaitingOf(state, side, func(event *entry) bool { return event == oldest }) == nil {
		oldest.counted = countedBefore // too long ago for its counter to be late
	}
	e.order(oldest) // others may have been inserted after it while it was hidden
	return true
}
