package live

import (
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Tracks reports whether a state is kept of a sample's fixture: it is in play, or it
// has a state already.
func Tracks(previous *State, s *input.Sample) bool {
	return previous != nil || s.Status == input.InPlay || s.Status == input.Halted
}

// clockError is how far a clock may be set back without consequences for a state. Samples come in the order
// in which they were retrieved, so one of long before the last step shows that the clock was ahead then.
const clockError = time.Minute

// Fold returns the state after a sample. previous is nil for the first sample of a
// fixture, and is not changed. The samples of a fixture must be folded in the order in
// which they were retrieved. If the clock was set back meanwhile, the state begins anew:
// otherwise it would take every sample for an old one until the time has caught up. It also
// begins anew if home and away were exchanged.
func Fold(previous *State, given *input.Sample) State {
	checked := plausible(given)
	sample := &checked
	at := sample.At().UnixMilli()
	if previous == nil {
		return begin(sample, at)
	}
	isInPlay := sample.Status != input.Off && sample.Status != input.NotStarted
	if isInPlay && (utc(previous.at).Sub(sample.RetrievedAt) > clockError || previous.who.isExchanged(sample)) {
		return begin(sample, at)
	}
	if sample.CountersNotAsked {
		sample.Counters = previous.counters.newest
	}
	next := previous.stepAt(sample.RetrievedAt)
	next.who = identityOf(sample)
	if !isInPlay {
		next.freshAt = max(next.freshAt, at)
		next.leave()
		return next
	}
	elapsed := int(min((at-previous.freshAt+500)/1000, 1<<20))
	now := resolve(&previous.clock, sample, max(0, elapsed))
	switch {
	case at < previous.freshAt || previous.clock.isBehind(&now):
		next.checkAge()
	case previous.isRepeat(&now, sample):
		next.repeat(sample, elapsed)
		next.checkAge()
	default:
		next.apply(sample, now, elapsed, at)
	}
	return next
}

// Pass returns the state after a cycle in which the fixture was not sampled. Nothing
// new is known, and the state becomes older. If the clock was set back meanwhile, it is
// not known how much older, and the state is stale.
func Pass(previous State, at time.Time) State {
	next := previous.stepAt(at)
	next.checkAge()
	return next
}

// Leave returns the state of a fixture that a complete list no longer holds.
func Leave(previous State, at time.Time) State {
	next := Pass(previous, at)
	next.leave()
	return next
}

func begin(sample *input.Sample, at int64) State {
	s := State{who: identityOf(sample), firstAt: at, at: max(at, sample.RetrievedAt.UnixMilli()), freshAt: at,
		clock: resolve(nil, sample, 0), timeline: newTimeline()}
	s.tau = s.clock.position
	s.minutes.account(&clock{}, &s.clock, 0, carryMissing)
	m := s.baseline(sample)
	s.timeline.update(s.step(), sample, &m, &clock{})
	s.status(sample)
	return s
}

// stepAt returns a copy of the state for a step at a time to modify. Its timeline is copied
// only when it changes, as it does in few steps. If the clock was set back, the state has no
// time from before.
func (s *State) stepAt(t time.Time) State {
	next, at := *s, t.UnixMilli()
	next.timeline.share()
	if s.at-at > clockError.Milliseconds() {
		next.setBack(at)
	}
	next.at = max(next.at, at)
	return next
}

// setBack removes what the state says of the time before the clock was set back. It is not known
// since when the clock was ahead, and so none of the times is certain: the timeline begins anew,
// and the newest sample counts as too old.
func (s *State) setBack(at int64) {
	s.firstAt, s.at, s.leftAt = at, at, min(s.leftAt, at)
	s.freshAt = min(s.freshAt, at-s.maxAge().Milliseconds()-1)
	s.counters.setBack(at, s.freshAt)
	hasBegun := s.timeline.hasBegun()
	s.timeline.reset(at)
	switch {
	case !hasBegun:
	case s.clock.Phase == football.FullTime:
		s.timeline.rest(s.step(), football.VisualFullTime)
	default:
		s.goStale()
	}
}

// isRepeat reports whether a sample repeats clock, score and counters of the last one
// although the clock should have moved. A feed that has stalled still answers, and its list
// of events may go on.
func (s *State) isRepeat(now *clock, sample *input.Sample) bool {
	return s.clock.runs && now.runs && now.known && s.clock.position == now.position && s.clock.half == now.half &&
		s.counters.score == sample.Score && slices.Equal(s.counters.newest, sample.Counters)
}

// repeat adds what a sample that repeats the last one says all the same: the events of its
// list. The state becomes no fresher, because counters that move later may have moved at any
// time since the clock last did. elapsed is the time since then, in seconds.
func (s *State) repeat(sample *input.Sample, elapsed int) {
	s.counters.confirm(sample, s.at)
	if elapsed <= s.clock.grain() { // the clock does not show yet that time passed
		s.counters.date(sample, s.at)
	}
	if s.timeline.listChanged(sample) {
		s.timeline.updateListed(s.step(), sample)
	}
}

func (s *State) apply(sample *input.Sample, now clock, elapsed int, at int64) {
	seconds := s.clock.played(&now, elapsed)
	blind := maxBlind + max(s.clock.grain(), now.grain())
	gap := max(seconds, s.clock.setForward(&now, elapsed)) > blind || s.clock.runs && elapsed > blind
	comparable := s.counters.areComparable(sample, s.moment())
	before, wasNull := s.clock, nullSent(s.counters.newest)
	s.clock, s.freshAt = now, at
	s.tau += seconds
	if now.Phase.Half() != 0 && now.half > before.half && before.half > 0 {
		s.pressure.rest()
		s.counters.beginHalf()
	}
	s.pressure.decay(seconds)
	if gap || s.timeline.showsStale() {
		s.minutes.account(&before, &s.clock, seconds, carryMissing)
		m := s.baseline(sample)
		s.timeline.update(s.step(), sample, &m, &before)
		s.status(sample)
		return
	}
	counted := s.counters.newest
	m := s.move(sample, comparable)
	s.observe(&m)
	s.pressure.threat = s.threatAfter(&m, counted)
	supplied := supplyOf(s.counters.newest)
	percent, sent := possession(s.counters.newest)
	s.pressure.add(pointsFor(&m, supplied), percent, sent, s.tau)
	s.minutes.account(&before, &s.clock, seconds, carries(&m, wasNull, nullSent(s.counters.newest), supplied))
	s.minutes.addPoints(&s.clock, &m, supplied)
	s.timeline.update(s.step(), sample, &m, &before)
	s.status(sample)
}

// baseline stores counters and score without counting them as movement. If one is lower
// than before, the event did not happen, though; and if one is higher, it may be of an
// event that the provider had listed.
func (s *State) baseline(sample *input.Sample) movement {
	m := movement{baseline: true, undated: s.counters.rebase(sample, s.moment())}
	s.seenTau, s.observed = s.tau, 0
	s.timeline.rebase(s.step())
	percent, sent := possession(s.counters.newest)
	s.pressure.hasHeld, s.pressure.threat = false, threat{}
	s.pressure.add([2]int64{}, percent, sent, s.tau)
	return m
}

// move compares a sample's counters with the last ones.
func (s *State) move(sample *input.Sample, comparable bool) movement {
	now := s.step()
	memory := func(state football.VisualState, side int) int { return s.timeline.memory(now, state, side) }
	return s.counters.move(sample, now.moment, comparable, memory)
}

// observe records for how long movement could be seen without a gap. If the counters
// were missing for longer than maxBlind, it starts again.
func (s *State) observe(m *movement) {
	if !supplyOf(s.counters.newest).any() {
		return
	}
	since := s.tau - s.seenTau
	s.seenTau = s.tau
	switch {
	case since > maxBlind:
		s.observed = 0
	case m.carried:
		s.observed += since
	}
}

func (s *State) status(sample *input.Sample) {
	if sample.Status == input.InPlay || sample.Status == input.Halted {
		s.leftAt = 0
		return
	}
	s.leave()
}

func (s *State) leave() {
	if s.leftAt == 0 {
		s.leftAt = s.at
	}
	s.clock.runs = false
	if s.clock.Phase != football.FullTime && s.timeline.hasBegun() {
		s.goStale()
	}
}

func (s *State) checkAge() {
	if s.InPlay() && s.isStale() {
		s.goStale()
	}
}

func (s *State) goStale() {
	s.timeline.goStale(s.step(), s.freshAt+s.maxAge().Milliseconds())
}
