// Package timeline keeps the states of play of a fixture and its events. An event is known from a
// counter or the score that rose, from the provider's own list, or from both, which are reconciled.
package timeline

import (
	"cmp"
	"slices"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/minutes"
	"mkt/transform/live/rules"
)

// Timeline are the states of play and the events of a fixture. Its zero value is not valid: see New.
type Timeline struct {
	numbers numbers
	entries []entry // in the order of observation, but see changes.insertListed
	// isOwn reports whether entries is this state's alone; not stored.
	isOwn  bool
	heldAt int64 // the newest observation at which the newest entry held
	recent recent
	// base is where the scoreboard was at the newest baseline.
	base clock.Board
	// wasListed reports whether the provider's own list of events was ever sent.
	// incidents are the events on it, sorted by mark.
	wasListed bool
	incidents []incident
}

// Step is what the timeline needs to know of the fixture in one step.
type Step struct {
	counter.Moment
	Clock    *clock.Clock
	Board    clock.Board // where the scoreboard is
	IsStale  bool        // the newest sample is too old to say anything
	Pressing [2]int64    // the fast part of both sides' pressure
	Counters *counter.Counters
	Minutes  *minutes.Minutes
}

// count returns how many events of a kind the counters say, if that is known.
func (n *Step) count(event football.VisualState) (count counter.Pair, known bool) {
	return n.Counters.Events(event, n.Moment)
}

// New returns the timeline before the first sample. No other match has seed.
func New(seed string) Timeline { return Timeline{recent: nothingRecent(), numbers: numbersOf(seed)} }

// Anew returns a timeline without entries that goes on with the numbers of this one.
func (t *Timeline) Anew() Timeline {
	return Timeline{recent: nothingRecent(), numbers: t.numbers.anew()}
}

// Share says that another state has the same entries.
func (t *Timeline) Share() { t.isOwn = false }

// HasBegun reports whether there is an entry.
func (t *Timeline) HasBegun() bool { return len(t.entries) > 0 }

// ShowsStale reports whether the newest entry says that nothing new is known.
func (t *Timeline) ShowsStale() bool {
	last := t.last()
	return last != nil && last.state == football.VisualStale
}

// Reset removes what happened before the clock was set back to at. The next list adds its events again.
func (t *Timeline) Reset(at int64) {
	t.heldAt, t.entries, t.incidents, t.wasListed = at, nil, nil, false
	t.numbers = t.numbers.anew()
}

// Rebase records where the scoreboard is at a baseline.
func (t *Timeline) Rebase(now *Step) {
	if t.base = now.Board; now.Clock.Rests() {
		t.base.Position = rules.MaxPosition // the half is over: all of it is in the counters
	}
}

// GoStale adds a STALE entry. It begins when the newest sample became too old, however late a
// step notices it.
func (t *Timeline) GoStale(now *Step, tooOldAt int64) {
	t.keep(now, max(t.heldAt, min(now.At, tooOldAt)), football.VisualStale, football.SideNone, football.Unknown)
	t.heldAt = now.At
}

// edit copies the timeline if another state shares it. It must be called before
// an entry is changed.
func (t *Timeline) edit() {
	if !t.isOwn {
		t.entries, t.isOwn = slices.Clone(t.entries), true
	}
}

// last returns the newest entry that is not hidden, and nil if there is none.
func (t *Timeline) last() *entry {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := &t.entries[i]; !e.hidden {
			return e
		}
	}
	return nil
}

func (t *Timeline) insert(at int, e entry) {
	t.edit()
	if e.number == 0 {
		e.number = t.numbers.next()
	}
	t.entries = slices.Insert(t.entries, at, e)
	if len(t.entries) > rules.MaxEntries {
		t.entries = slices.Delete(t.entries, 0, 1)
	}
}

// keep adds a state that lasts, unless the newest entry is that state already. If a
// single sample could not show the state and the next one does, it began with the
// first.
func (t *Timeline) keep(now *Step, at int64, state football.VisualState, side football.Side, certainty football.Certainty) {
	last := t.last()
	if last != nil && last.certainty == football.Unknown && certainty == football.Inferred && t.heldAt == last.at && last.state == state {
		t.edit()
		last = t.last()
		last.certainty = certainty
	}
	next := entry{Board: now.Board, at: at, state: state, side: side, certainty: certainty, fellAt: never}
	if last == nil || !continues(last, &next) {
		t.insert(len(t.entries), next)
	}
}

// goesOn removes the end of a half that the provider reported although play continues.
func (t *Timeline) goesOn(half int) {
	isFalse := func(e entry) bool { return e.isRest() && e.Half >= half }
	if slices.ContainsFunc(t.entries, isFalse) {
		t.edit()
		t.entries = slices.DeleteFunc(t.entries, isFalse)
	}
}

// purge removes hidden events that neither a counter nor the provider's list can bring
// back any more.
func (t *Timeline) purge(now *Step) {
	if !slices.ContainsFunc(t.entries, func(e entry) bool { return e.hidden }) {
		return
	}
	t.edit()
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return e.hidden && e.proof.mark == 0 && !t.mayRecover(&e, now) })
}

// memoryOf returns for how many seconds an event is kept after its counter fell.
func (t *Timeline) memoryOf(e *entry, now *Step) int {
	fellAt := now.At - int64(now.Tau-e.fellAt)*1000
	if isListed := e.proof.mark != 0 && !t.isMissed(e); !isListed && fellAt-e.at <= 1000*rules.TakenBackWithin {
		return rules.FallMemory
	}
	return rules.EventMemory
}

// Memory returns for how many seconds the events of a side that its counter took away may come
// back, 0 if there is none.
func (t *Timeline) Memory(now *Step, state football.VisualState, side int) (seconds int) {
	for i := range t.entries {
		if e := &t.entries[i]; e.state == state && e.side == sides[side] && e.counted == notCounted && e.fellAt != never {
			seconds = max(seconds, t.memoryOf(e, now))
		}
	}
	return seconds
}

// mayRecover reports whether the counter of an event fell so recently that it may
// still climb back.
func (t *Timeline) mayRecover(e *entry, now *Step) bool {
	return e.fellAt != never && now.Tau-e.fellAt <= t.memoryOf(e, now)
}

// hide hides an event that did not happen. If it was the state of play, it no longer is.
func (t *Timeline) hide(e *entry, why football.WithdrawalReason) {
	if e == t.last() {
		t.recent.heldUntil = never
	}
	if !e.hidden {
		e.hidden, e.gone = true, gone{why: why}
	}
}

// find returns the index at which an event with that mark is stored or belongs, and
// whether it is stored.
func (t *Timeline) find(mark uint32) (at int, met bool) {
	return slices.BinarySearchFunc(t.incidents, mark, func(i incident, mark uint32) int { return cmp.Compare(i.mark, mark) })
}

// isMissed reports whether the newest list lacks the event that proves an entry.
func (t *Timeline) isMissed(event *entry) bool {
	at, met := t.find(event.proof.mark)
	return event.proof.mark != 0 && met && t.incidents[at].missed
}
