package live

import (
	"slices"

	"mkt/publish/football"
)

type boardPosition struct {
	half     int // the half that position belongs to, 0 before kick-off
	position int // seconds on the scoreboard
	known    bool
}

type minute struct {
	half int
	from int // its first second on the scoreboard
}

// entry is one observation of the timeline, as it is stored. State.published computes
// the published timeline from the entries.
type entry struct {
	boardPosition       // where the scoreboard was when it was observed
	at            int64 // when it was observed; see sampleEvents.insertListed for an event that was listed late
	state         football.VisualState
	certainty     football.Certainty
	side          football.Side

	// An event is on the timeline because a counter or the score rose, or because the
	// provider's list holds it, or for both reasons.
	counted counting
	proof   proof
	// fellAt is when (in seconds of tau) the counter fell again, never if it did
	// not; a counter that climbs back soon restores the entry. Of an entry that is
	// counted, it is when the counter climbed back.
	fellAt int
	// gone hides an event for which no reason is left, or that its counter has no room
	// for. It is removed when its counter can no longer climb back and the provider
	// does not list it.
	gone bool
}

// isEvent reports whether an entry is an event, which stands because it is counted or listed. The
// other entries are states that last: also a shoot-out, which is PENALTY without being a penalty.
func (e *entry) isEvent() bool {
	return rank(e.state) >= 0 && (e.gone || e.counted != notCounted || e.proof.mark != 0)
}

// isRest reports whether an entry means: no half is played, or a shoot-out is on.
func (e *entry) isRest() bool {
	return isRest(e.state) || e.state == football.VisualPenalty && !e.isEvent()
}

// counting is whether a counter or the score includes an event.
type counting uint8

const (
	notCounted    counting = iota
	countedBefore          // in a baseline, where nothing rose
	countedByRise
)

// proof is the provider's own event that proves an entry; its mark is 0 where
// there is none.
type proof struct {
	mark     uint32
	minute   minute
	listedAt int64 // when the provider's list first held it
	// withdrawn reports that there was a proof, and the provider took it back.
	withdrawn bool
}

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

// boardPosition returns the position of the scoreboard now. A clock that stopped at the end of
// a half may have been set back to the half's last minute. In that case the half ended
// where the clock was last seen to run.
func (s *State) boardPosition() boardPosition {
	c := &s.clock
	switch {
	case s.rests() && s.ranTo > 0:
		p := boardPosition{c.half, s.ranTo, true}
		if c.known {
			p.position = max(p.position, c.position)
		}
		return p
	case c.known:
		return boardPosition{c.half, c.position, true}
	}
	return boardPosition{}
}

// rests reports whether a half is over and the next has not begun.
func (s *State) rests() bool { return s.clock.Phase.Half() == 0 && s.clock.half != 0 }

func isRest(s football.VisualState) bool {
	return s == football.VisualHalfTime || s == football.VisualFullTime
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
