package live

import (
	"cmp"
	"slices"

	"mkt/publish/football"
)

// editTimeline copies the timeline if another state shares it. It must be called before
// an entry is changed.
func (s *State) editTimeline() {
	if !s.ownsTimeline {
		s.timeline, s.ownsTimeline = slices.Clone(s.timeline), true
	}
}

// last returns the newest entry that is not hidden, and nil if there is none.
func (s *State) last() *entry {
	for i := len(s.timeline) - 1; i >= 0; i-- {
		if e := &s.timeline[i]; !e.gone {
			return e
		}
	}
	return nil
}

func (s *State) insert(at int, e entry) {
	s.editTimeline()
	s.timeline = slices.Insert(s.timeline, at, e)
	if len(s.timeline) > maxEntries {
		s.timeline = slices.Delete(s.timeline, 0, 1)
	}
}

// keep adds a state that lasts, unless the newest entry is that state already. If a
// single sample could not show the state and the next one does, it began with the
// first.
func (s *State) keep(at int64, state football.VisualState, side football.Side, certainty football.Certainty) {
	last := s.last()
	if last != nil && last.certainty == football.Unknown && certainty == football.Inferred && s.heldAt == last.at && last.state == state {
		s.editTimeline()
		last = s.last()
		last.certainty = certainty
	}
	next := entry{boardPosition: s.boardPosition(), at: at, state: state, side: side, certainty: certainty, fellAt: never}
	if last == nil || !continues(last, &next) {
		s.insert(len(s.timeline), next)
	}
}

// goesOn removes the end of a half that is played all the same.
func (s *State) goesOn(half int) {
	isFalse := func(e entry) bool { return e.isRest() && e.half >= half }
	if slices.ContainsFunc(s.timeline, isFalse) {
		s.editTimeline()
		s.timeline = slices.DeleteFunc(s.timeline, isFalse)
	}
}

// purge removes hidden events that neither a counter nor the provider's list can bring
// back any more.
func (s *State) purge() {
	if !slices.ContainsFunc(s.timeline, func(e entry) bool { return e.gone }) {
		return
	}
	s.editTimeline()
	s.timeline = slices.DeleteFunc(s.timeline, func(e entry) bool { return e.gone && e.proof.mark == 0 && !s.mayRecover(&e) })
}

// memoryOfEvent returns for how many seconds an event is kept after its counter fell.
func (s *State) memoryOfEvent(e *entry) int {
	fellAt := s.at - int64(s.tau-e.fellAt)*1000
	if isListed := e.proof.mark != 0 && !s.isMissed(e); !isListed && fellAt-e.at <= 1000*takenBackWithin {
		return fallMemory
	}
	return eventMemory
}

// mayRecover reports whether the counter of an event fell so recently that it may
// still climb back.
func (s *State) mayRecover(e *entry) bool {
	return e.fellAt != never && s.tau-e.fellAt <= s.memoryOfEvent(e)
}

// hide hides an event that did not happen. If it was the state of play, it no longer is.
func (s *State) hide(e *entry) {
	if e == s.last() {
		s.scene.heldUntil = never
	}
	e.gone = true
}

// find returns the index at which an event with that mark is stored or belongs, and
// whether it is stored.
func (s *State) find(mark uint32) (at int, met bool) {
	return slices.BinarySearchFunc(s.incidents, mark, func(i incident, mark uint32) int { return cmp.Compare(i.mark, mark) })
}

// isMissed reports whether the newest list lacks the event that proves an entry.
func (s *State) isMissed(event *entry) bool {
	at, met := s.find(event.proof.mark)
	return event.proof.mark != 0 && met && s.incidents[at].missed
}

const (
	notCounted    counting = iota
	countedBefore          // in a baseline, where nothing rose
	countedByRise
)
