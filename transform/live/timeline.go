package live

import (
	"cmp"
	"slices"

	"mkt/publish/football"
)

// timeline are the states of play and the events of a fixture. Its zero value is not valid, see begin.
type timeline struct {
	entries []entry // in the order of observation, but see changes.insertListed
	// isOwn reports whether entries is this state's alone; not stored.
	isOwn  bool
	heldAt int64 // the newest observation at which the newest entry held
	recent recent
	// base is where the scoreboard was at the newest baseline.
	base boardPosition
	// wasListed reports whether the provider's own list of events was ever sent.
	// incidents are the events on it, sorted by mark.
	wasListed bool
	incidents []incident
}

// step is what the timeline needs to know of the fixture in one step.
type step struct {
	moment
	clock    *clock
	board    boardPosition // where the scoreboard is
	isStale  bool          // the newest sample is too old to say anything
	pressing [2]int64      // the fast part of both sides' pressure
	counters *counters
	minutes  *minutes
}

// count returns how many events of a kind the counters say, if that is known.
func (n *step) count(event football.VisualState) (count pair, known bool) {
	return n.counters.events(event, n.moment)
}

// newTimeline returns the timeline before the first sample.
func newTimeline() timeline { return timeline{recent: nothingRecent()} }

// share says that another state has the same entries.
func (t *timeline) share() { t.isOwn = false }

// hasBegun reports whether there is an entry.
func (t *timeline) hasBegun() bool { return len(t.entries) > 0 }

// showsStale reports whether the newest entry says that nothing new is known.
func (t *timeline) showsStale() bool {
	last := t.last()
	return last != nil && last.state == football.VisualStale
}

// reset removes what happened before the clock was set back to at. The next list adds its events again.
func (t *timeline) reset(at int64) {
	t.heldAt, t.entries, t.incidents, t.wasListed = at, nil, nil, false
}

// rebase records where the scoreboard is at a baseline.
func (t *timeline) rebase(now *step) {
	if t.base = now.board; now.clock.rests() {
		t.base.position = maxPosition // the half is over: all of it is in the counters
	}
}

// goStale adds a STALE entry. It begins when the newest sample became too old, however late a
// step notices it.
func (t *timeline) goStale(now *step, tooOldAt int64) {
	t.keep(now, max(t.heldAt, min(now.at, tooOldAt)), football.VisualStale, football.SideNone, football.Unknown)
	t.heldAt = now.at
}

// edit copies the timeline if another state shares it. It must be called before
// an entry is changed.
func (t *timeline) edit() {
	if !t.isOwn {
		t.entries, t.isOwn = slices.Clone(t.entries), true
	}
}

// last returns the newest entry that is not hidden, and nil if there is none.
func (t *timeline) last() *entry {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := &t.entries[i]; !e.hidden {
			return e
		}
	}
	return nil
}

func (t *timeline) insert(at int, e entry) {
	t.edit()
	t.entries = slices.Insert(t.entries, at, e)
	if len(t.entries) > maxEntries {
		t.entries = slices.Delete(t.entries, 0, 1)
	}
}

// keep adds a state that lasts, unless the newest entry is that state already. If a
// single sample could not show the state and the next one does, it began with the
// first.
func (t *timeline) keep(now *step, at int64, state football.VisualState, side football.Side, certainty football.Certainty) {
	last := t.last()
	if last != nil && last.certainty == football.Unknown && certainty == football.Inferred && t.heldAt == last.at && last.state == state {
		t.edit()
		last = t.last()
		last.certainty = certainty
	}
	next := entry{boardPosition: now.board, at: at, state: state, side: side, certainty: certainty, fellAt: never}
	if last == nil || !continues(last, &next) {
		t.insert(len(t.entries), next)
	}
}

// goesOn removes the end of a half that is played all the same.
func (t *timeline) goesOn(half int) {
	isFalse := func(e entry) bool { return e.isRest() && e.half >= half }
	if slices.ContainsFunc(t.entries, isFalse) {
		t.edit()
		t.entries = slices.DeleteFunc(t.entries, isFalse)
	}
}

// purge removes hidden events that neither a counter nor the provider's list can bring
// back any more.
func (t *timeline) purge(now *step) {
	if !slices.ContainsFunc(t.entries, func(e entry) bool { return e.hidden }) {
		return
	}
	t.edit()
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return e.hidden && e.proof.mark == 0 && !t.mayRecover(&e, now) })
}

// memoryOf returns for how many seconds an event is kept after its counter fell.
func (t *timeline) memoryOf(e *entry, now *step) int {
	fellAt := now.at - int64(now.tau-e.fellAt)*1000
	if isListed := e.proof.mark != 0 && !t.isMissed(e); !isListed && fellAt-e.at <= 1000*takenBackWithin {
		return fallMemory
	}
	return eventMemory
}

// memory returns for how many seconds the events of a side that its counter took away may come
// back, 0 if there is none.
func (t *timeline) memory(now *step, state football.VisualState, side int) (seconds int) {
	for i := range t.entries {
		if e := &t.entries[i]; e.state == state && e.side == sides[side] && e.counted == notCounted && e.fellAt != never {
			seconds = max(seconds, t.memoryOf(e, now))
		}
	}
	return seconds
}

// mayRecover reports whether the counter of an event fell so recently that it may
// still climb back.
func (t *timeline) mayRecover(e *entry, now *step) bool {
	return e.fellAt != never && now.tau-e.fellAt <= t.memoryOf(e, now)
}

// hide hides an event that did not happen. If it was the state of play, it no longer is.
func (t *timeline) hide(e *entry) {
	if e == t.last() {
		t.recent.heldUntil = never
	}
	e.hidden = true
}

// find returns the index at which an event with that mark is stored or belongs, and
// whether it is stored.
func (t *timeline) find(mark uint32) (at int, met bool) {
	return slices.BinarySearchFunc(t.incidents, mark, func(i incident, mark uint32) int { return cmp.Compare(i.mark, mark) })
}

// isMissed reports whether the newest list lacks the event that proves an entry.
func (t *timeline) isMissed(event *entry) bool {
	at, met := t.find(event.proof.mark)
	return event.proof.mark != 0 && met && t.incidents[at].missed
}
