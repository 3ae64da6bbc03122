package timeline

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/rules"
)

type list struct {
	events []input.Incident
	marks  map[uint32]bool // marks of the events on it
}

// ListChanged reports whether the list of a sample has other events than the last one.
func (t *Timeline) ListChanged(sample *input.Sample) bool {
	events, sent := sample.Incidents.Get()
	met := 0
	for i := range events {
		next := incidentOf(&events[i])
		at, isMet := t.find(next.mark)
		if !isMet && len(t.incidents) < rules.MaxIncidents || isMet && t.incidents[at] != next {
			return true
		}
		if isMet {
			met++
		}
	}
	return sent && met < len(t.incidents)
}

// withdraw returns a sample's list of events, nil if it has none. It withdraws events
// that the provider listed before and does not list any more. A single list without
// an event may come from a server that lags, so that two are needed.
func (e *changes) withdraw(sample *input.Sample) *list {
	events, sent := sample.Incidents.Get()
	if !sent {
		return nil
	}
	l := &list{events: slices.Clone(events), marks: make(map[uint32]bool, len(events))}
	slices.SortStableFunc(l.events, func(a, b input.Incident) int {
		return cmp.Or(cmp.Compare(a.Minute, b.Minute), cmp.Compare(a.Added, b.Added))
	})
	arrived := make(map[uint32]bool) // what the list says under ids that were not seen before
	for i := range l.events {
		next := incidentOf(&l.events[i])
		l.marks[next.mark] = true
		if _, met := e.find(next.mark); !met {
			arrived[next.what] = true
		}
	}
	e.incidents = slices.DeleteFunc(slices.Clone(e.incidents), func(i incident) bool {
		if l.marks[i.mark] || !i.missed || arrived[i.what] {
			return false
		}
		e.disprove(i.mark)
		return true
	})
	for i := range e.incidents {
		e.incidents[i].missed = !l.marks[e.incidents[i].mark]
	}
	return l
}

// readList stores the events of a list that were not seen before, or that the provider
// changed. l is nil if the sample has no list.
func (e *changes) readList(l *list) {
	if l == nil {
		return
	}
	for i := range l.events {
		next := incidentOf(&l.events[i])
		at, met := e.find(next.mark)
		corrected := 0
		switch {
		case met && e.incidents[at].what == next.what, !met && e.replaces(next, l.marks):
			continue
		case met:
			corrected = e.disprove(next.mark)
			e.incidents[at] = next
		case len(e.incidents) >= rules.MaxIncidents:
			continue
		default:
			e.incidents = slices.Insert(e.incidents, at, next)
		}
		e.prove(&l.events[i], next.mark, l.events[:i])
		e.keepNumber(corrected, next.mark)
	}
	e.wasListed = true
	e.dropWithdrawn()
}

// dropWithdrawn hides events that were withdrawn but are still counted, if the list
// alone has as many events as the counter or the score says.
func (e *changes) dropWithdrawn() {
	for i := range e.entries {
		side := slices.Index(sides[:], e.entries[i].side)
		if !e.entries[i].proof.withdrawn || e.entries[i].counted == notCounted || side < 0 {
			continue
		}
		e.edit()
		event := &e.entries[i]
		listed := 0
		e.each(func(other *entry) bool {
			if other.state == event.state && other.side == event.side && other.proof.mark != 0 && !e.isMissed(other) {
				listed++
			}
			return true
		})
		if count, known := e.count(event.state); known && listed >= count[side] {
			event.counted = notCounted
			e.hide(event, football.TookBack)
		}
	}
}

// replaces reports whether an event of the list was seen under another id, which the
// list does not hold any more. It gets the new id.
func (e *changes) replaces(next incident, listed map[uint32]bool) bool {
	was := slices.IndexFunc(e.incidents, func(i incident) bool { return i.what == next.what && !listed[i.mark] })
	if was < 0 {
		return false
	}
	mark := e.incidents[was].mark
	e.each(func(event *entry) bool {
		if event.proof.mark == mark {
			event.proof.mark = next.mark
			return false
		}
		return true
	})
	e.incidents = slices.Delete(e.incidents, was, was+1)
	at, _ := e.find(next.mark)
	e.incidents = slices.Insert(e.incidents, at, next)
	return true
}

// keepNumber gives the event that a mark proves the number of the hidden one that it proved before
// the provider corrected it.
func (e *changes) keepNumber(corrected int, mark uint32) {
	if corrected == 0 {
		return
	}
	var was, is *entry
	e.each(func(event *entry) bool {
		switch {
		case event.number == corrected && event.hidden:
			was = event
		case event.proof.mark == mark:
			is = event
		}
		return true
	})
	if was != nil && is != nil && was.state == is.state {
		was.number, is.number = e.numbers.next(), corrected
	}
}

// disprove removes the proof of an event, and returns its number. The event is no longer EXACT, and
// is hidden if no counter rose for it.
func (e *changes) disprove(mark uint32) (number int) {
	e.each(func(event *entry) bool {
		if event.proof.mark != mark {
			return true
		}
		number = event.number
		event.proof, event.certainty = proof{withdrawn: true}, football.Inferred
		if event.counted != countedByRise {
			event.counted = notCounted
			e.hide(event, football.TookBack)
		}
		return false
	})
	return number
}

// prove makes an event of the provider's own list the proof of the entry that a counter
// made for it, or inserts it in its minute. before holds the events of the list that
// precede it.
func (e *changes) prove(i *input.Incident, mark uint32, before []input.Incident) {
	state, ok := stateOf(i.Kind)
	if !ok {
		return
	}
	p := proof{mark: mark, minute: e.minuteOf(i, before), listedAt: e.At}
	event := e.nearest(state, i.Side, func(event *entry) (int, bool) {
		if event.proof.mark != 0 || event.counted == notCounted {
			return 0, false
		}
		return e.awayFrom(event, p.minute)
	})
	if event == nil {
		e.insertListed(i, state, p, before)
		return
	}
	e.proveBy(event, p)
	if event.side == football.SideNone {
		event.side = i.Side
	}
	e.order(event)
}

// minuteOf returns the minute of play of an event. A provider that does not distinguish
// stoppage time, in any event of the list before it, keeps counting in the half that is played.
func (n *Step) minuteOf(i *input.Incident, before []input.Incident) clock.Minute {
	m := clock.Minute{Half: 4, From: (i.Minute - 1 + i.Added) * 60}
	for h := 3; h >= 1; h-- {
		if i.Minute*60 <= clock.HalfEnds[h] {
			m.Half = h
		}
	}
	distinguishes := func(b input.Incident) bool { return b.Added > 0 }
	if i.Added == 0 && n.Clock.Half > 0 && !slices.ContainsFunc(before, distinguishes) {
		m.Half = min(m.Half, n.Clock.Half)
	}
	return m
}

// insertListed inserts an event that no counter showed. An event that happened just now
// becomes the state of play. An older one is inserted at its minute, and begins when
// the entry after it does. One beyond what its counter says is hidden.
func (e *changes) insertListed(i *input.Incident, state football.VisualState, p proof, before []input.Incident) {
	event := entry{Board: e.Board, at: e.At, state: state, side: i.Side, certainty: football.Exact, proof: p, fellAt: never}
	if wrong := e.restoredBy(state, i.Side, p.minute); wrong != nil && !isTwin(i, before) {
		rise := e.climbed(wrong)
		rise.side = i.Side
		e.movePoints(wrong, &rise)
		event.counted, wrong.counted, wrong.fellAt = countedByRise, notCounted, e.Tau
		e.hide(wrong, football.CounterFell)
	} else if e.wasCounted(i, state, p.minute, before) {
		event.counted = countedBefore
	} else if wrong := e.newest(state, i.Side, func(old *entry) bool { return old.counted == countedByRise && old.proof.withdrawn }); wrong != nil {
		event.counted, wrong.counted = countedByRise, notCounted // it was this one that the counter showed
		e.hide(wrong, football.CounterFell)
	}
	if !e.allows(i, &event, before) {
		event.counted, event.hidden = notCounted, true
	}
	if back := e.withdrawnFrom(state, i.Side, p.minute); back != nil {
		event.at, event.Board, event.number = back.at, back.Board, back.number
		*back = event
		e.order(back)
		return
	}
	at := e.indexOf(p.minute)
	if at < len(e.entries) {
		event.at = e.entries[at].at
		e.insert(at, event)
		return
	}
	age := 0
	if here := e.Board; here.Known && here.Half >= p.minute.Half {
		age = max(0, here.Position-(p.minute.From+59))
	}
	if left := rules.EventSeconds[state] - age; !e.isBaseline && !e.IsStale && !event.hidden && left > 0 {
		e.add(event, left)
		return
	}
	e.insert(at, event)
}

// restoredBy returns the entry that was restored when the counter climbed back in or soon
// after a minute, and nil if there is none: an event of that minute shows that the counter
// did not climb back, but rose once more.
func (e *changes) restoredBy(state football.VisualState, side football.Side, m clock.Minute) *entry {
	return e.newest(state, side, func(event *entry) bool {
		if event.counted == notCounted || event.fellAt == never {
			return false
		}
		rise := e.climbed(event)
		if _, ok := e.awayFrom(&rise, m); !ok {
			return false
		}
		_, isOwn := e.awayFrom(&rise, event.proof.minute) // the list has it for this rise already
		return event.proof.mark == 0 || !isOwn || e.isMissed(event)
	})
}

// withdrawnFrom returns the hidden entry of an event of a minute that the provider took back, and nil if
// there is none. If the provider lists it again, it is that entry again.
func (e *changes) withdrawnFrom(state football.VisualState, side football.Side, m clock.Minute) *entry {
	return e.nearest(state, side, func(event *entry) (int, bool) {
		if !event.hidden || !event.proof.withdrawn || event.counted != notCounted {
			return 0, false
		}
		return e.awayFrom(event, m)
	})
}

// wasCounted reports whether the counters of the newest baseline hold an event:
// one from before the baseline's minute, or of that minute while the list has no
// more of its kind than the counter says.
func (e *changes) wasCounted(i *input.Incident, state football.VisualState, m clock.Minute, before []input.Incident) bool {
	switch b := &e.base; {
	case !b.Known:
		return e.isBaseline || !e.wasListed
	case m.Half != b.Half:
		return m.Half < b.Half
	case m.From+59 < b.Position:
		return true
	case m.From > b.Position:
		return false
	}
	n := 1
	for j := range before {
		if s, ok := stateOf(before[j].Kind); ok && s == state && before[j].Side == i.Side {
			n++
		}
	}
	count, known := e.count(state)
	side := slices.Index(sides[:], i.Side)
	return known && side >= 0 && n <= count[side]
}

// indexOf returns where an event of a minute belongs: after everything of that minute
// and of those before it. Without a scoreboard, the events of the first list happened
// before everything that was observed.
func (e *changes) indexOf(m clock.Minute) int {
	if !e.Clock.Known && !e.wasListed {
		e.early++
		return min(e.early-1, len(e.entries))
	}
	at := len(e.entries)
	for ; at > 0; at-- {
		before := &e.entries[at-1]
		if !before.Known && before.proof.mark == 0 {
			break
		}
		was := before.minuteOf()
		isBehind := was.Half == m.Half && (was.From > m.From || before.isRest())
		if was.Half < m.Half || was.Half == m.Half && !isBehind {
			break
		}
	}
	return at
}
