package timeline

import (
	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
)

var sides = [2]football.Side{football.SideHome, football.SideAway}

// entry is one observation of the timeline, as it is stored. Timeline.Published computes
// the published timeline from the entries.
type entry struct {
	number      int32 // no other entry of the match has it, see numbers
	clock.Board       // where the scoreboard was when it was observed
	at          int64 // when it was observed; see changes.insertListed for an event that was listed late
	state       football.VisualState
	certainty   football.Certainty
	side        football.Side

	// An event is on the timeline because a counter or the score rose, or because the
	// provider's list holds it, or for both reasons.
	counted counting
	proof   proof
	// fellAt is when (in seconds of tau) the counter fell again, never if it did
	// not; a counter that climbs back soon restores the entry. Of an entry that is
	// counted, it is when the counter climbed back.
	fellAt int
	// gone says why the entry was hidden, as far as this step knows; not stored.
	gone gone
	// hidden hides an event for which no reason is left, or that is beyond what its
	// counter says. It is removed when its counter can no longer climb back and the provider
	// does not list it.
	hidden bool
}

// isEvent reports whether an entry is an event, which stands because it is counted or listed. The
// other entries are states that last: also a shoot-out, which is PENALTY without being a penalty.
func (e *entry) isEvent() bool {
	return counter.Rank(e.state) >= 0 && (e.hidden || e.counted != notCounted || e.proof.mark != 0)
}

// isRest reports whether an entry means: no half is played, or a shoot-out is on.
func (e *entry) isRest() bool {
	return isRest(e.state) || e.state == football.VisualPenalty && !e.isEvent()
}

// gone is why an event is not on the timeline any more.
type gone struct {
	why why
	by  int32 // number of the event in its place, 0 if there is none
}

// why is a reason in a byte; 0 is none.
type why uint8

const (
	noReason why = iota
	tookBack
	counterFell
	replaced
)

// public returns the published reason. Without one, the event was hidden in an earlier step: because of its count.
func (w why) public() football.WithdrawalReason {
	return [...]football.WithdrawalReason{football.CounterFell, football.TookBack, football.CounterFell, football.Replaced}[w]
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
	minute   clock.Minute
	listedAt int64 // when the provider's list first held it
	// withdrawn reports that there was a proof, and the provider took it back.
	withdrawn bool
}

// minuteOf returns the minute of play that an entry belongs to: that of its proof, or
// that of its observation.
func (e *entry) minuteOf() clock.Minute {
	if e.proof.mark != 0 {
		return e.proof.minute
	}
	return clock.Minute{Half: e.Half, From: e.Position - e.Position%60}
}

// isRest reports whether a state means that no half is played.
func isRest(s football.VisualState) bool {
	return s == football.VisualHalfTime || s == football.VisualFullTime
}

// outside returns how many seconds a position is outside the minute that begins at from.
func outside(from, position int) int { return max(0, from-position, position-(from+59)) }

// continues reports whether an entry continues the one before it. A goal, card or penalty
// never does, because it changed a score or a count.
func continues(before, e *entry) bool {
	if e.state != before.state || e.side != before.side || (e.certainty == football.Unknown) != (before.certainty == football.Unknown) {
		return false
	}
	isOne := e.state == football.VisualGoal || e.state == football.VisualCard || e.state == football.VisualPenalty
	return !isOne || !e.isEvent()
}

// join copies the proof of an equal, following entry of the same minute.
func (e *entry) join(next *entry) {
	if e.certainty == football.Inferred && next.certainty == football.Exact && e.minuteOf() == next.minuteOf() {
		e.certainty, e.proof = football.Exact, next.proof
	}
}

// public returns the entry as it is published.
func (e *entry) public(id string, place, added int, until int64) football.TimelineEntry {
	out := football.TimelineEntry{ID: id, At: clock.UTC(e.at), Half: e.minuteOf().Half, State: e.state, Certainty: e.certainty, SideProven: e.side, Until: clock.UTC(until)}
	if e.Known || e.proof.mark != 0 {
		position := clock.OnScoreboard(place)
		out.Minute, out.Added = football.Of(position/60), added
		if out.Half != 0 {
			out.Half = place / clock.HalfSpan
		}
	}
	if e.Known {
		out.Second = football.Of(clock.OnScoreboard(place) % 60)
	}
	if e.proof.mark != 0 {
		out.ListedAt = clock.UTC(e.proof.listedAt)
	}
	return out
}

func (e *entry) visual() football.Visual {
	if e.state == "" {
		return football.Visual{}
	}
	return football.Visual{State: e.state, Certainty: e.certainty, SideProven: e.side, Since: clock.UTC(e.at)}
}
