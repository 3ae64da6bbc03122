package live

import (
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/counter"
	"mkt/transform/live/minutes"
	"mkt/transform/live/momentum"
	"mkt/transform/live/rules"
	"mkt/transform/live/timeline"
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
// which they were retrieved. If the clock was set back meanwhile, the state starts again:
// otherwise it would take every sample for an old one until the time has caught up. It also
// starts again if home and away were exchanged.
func Fold(previous *State, given *input.Sample) State {
	checked := plausible(given)
	sample := &checked
	at := sample.At().UnixMilli()
	if previous == nil {
		who := identityOf(sample)
		return begin(sample, at, timeline.New(who.seed(at)))
	}
	isInPlay := sample.Status != input.Off && sample.Status != input.NotStarted
	if isInPlay && (clock.UTC(previous.at).Sub(sample.RetrievedAt) > clockError || previous.who.isExchanged(sample)) {
		return begin(sample, at, previous.timeline.Anew())
	}
	if sample.CountersNotAsked {
		sample.Counters = previous.counters.Newest
	}
	next := previous.stepAt(sample.RetrievedAt)
	next.who = identityOf(sample)
	if !isInPlay {
		next.freshAt = max(next.freshAt, at)
		next.leave()
		return next
	}
	elapsed := int(min((at-previous.freshAt+500)/1000, 1<<20))
	now := clock.Resolve(&previous.clock, sample, max(0, elapsed))
	switch {
	case at < previous.freshAt || previous.clock.IsBehind(&now):
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

func begin(sample *input.Sample, at int64, t timeline.Timeline) State {
	s := State{who: identityOf(sample), firstAt: at, at: max(at, sample.RetrievedAt.UnixMilli()), freshAt: at,
		clock: clock.Resolve(nil, sample, 0), timeline: t}
	s.tau = s.clock.Position
	s.minutes.Account(&clock.Clock{}, &s.clock, 0, minutes.CarryMissing)
	m := s.baseline(sample)
	s.timeline.Update(s.step(), sample, &m, &clock.Clock{})
	s.status(sample)
	return s
}

// stepAt returns a copy of the state for a step at a time to modify. Its timeline is copied
// only when it changes, as it does in few steps. If the clock was set back, the state has no
// time from before.
func (s *State) stepAt(t time.Time) State {
	next, at := *s, t.UnixMilli()
	next.timeline.Share()
	if s.at-at > clockError.Milliseconds() {
		next.setBack(at)
	}
	next.at = max(next.at, at)
	return next
}

// setBack removes what the state says of the time before the clock was set back. Nobody knows
// for how long the clock was ahead, so none of the times is certain: the timeline starts again,
// and the newest sample counts as too old.
func (s *State) setBack(at int64) {
	s.firstAt, s.at, s.leftAt = at, at, min(s.leftAt, at)
	s.freshAt = min(s.freshAt, at-s.maxAge().Milliseconds()-1)
	s.counters.SetBack(at, s.freshAt)
	hasBegun := s.timeline.HasBegun()
	s.timeline.Reset(at)
	switch {
	case !hasBegun:
	case s.clock.Phase == football.FullTime:
		s.timeline.Rest(s.step(), football.VisualFullTime)
	default:
		s.goStale()
	}
}

// isRepeat reports whether a sample repeats clock, score and counters of the last one
// although the clock should have moved. A feed that has stalled still answers, and its list
// of events may go on.
func (s *State) isRepeat(now *clock.Clock, sample *input.Sample) bool {
	return s.clock.Runs && now.Runs && now.Known && s.clock.Position == now.Position && s.clock.Half == now.Half &&
		s.counters.Score == sample.Score && slices.Equal(s.counters.Newest, sample.Counters)
}

// repeat adds the news of a sample whose clock, score and counters repeat the last one: the events
// of its list. The state becomes no fresher, because counters that move later may have moved at any
// time since the clock last did. elapsed is the time since then, in seconds.
func (s *State) repeat(sample *input.Sample, elapsed int) {
	s.counters.Confirm(sample, s.at)
	if elapsed <= s.clock.Grain() { // the clock does not show yet that time passed
		s.counters.Date(sample, s.at)
	}
	if s.timeline.ListChanged(sample) {
		s.timeline.UpdateListed(s.step(), sample)
	}
}

func (s *State) apply(sample *input.Sample, now clock.Clock, elapsed int, at int64) {
	seconds := s.clock.Played(&now, elapsed)
	blind := rules.MaxBlind + max(s.clock.Grain(), now.Grain())
	gap := max(seconds, s.clock.SetForward(&now, elapsed)) > blind || s.clock.Runs && elapsed > blind
	comparable := s.counters.AreComparable(sample, s.moment())
	before, wasNull := s.clock, counter.HasNull(s.counters.Newest)
	s.clock, s.freshAt = now, at
	s.tau += seconds
	if now.Phase.Half() != 0 && now.Half > before.Half && before.Half > 0 {
		s.pressure.Rest()
		s.counters.BeginHalf()
	}
	s.pressure.Decay(seconds)
	if gap || s.timeline.ShowsStale() {
		s.minutes.Account(&before, &s.clock, seconds, minutes.CarryMissing)
		m := s.baseline(sample)
		s.timeline.Update(s.step(), sample, &m, &before)
		s.status(sample)
		return
	}
	counted := s.counters.Newest
	m := s.move(sample, comparable)
	s.observe(&m)
	s.pressure.Threat = s.threatAfter(&m, counted)
	supplied := counter.SupplyOf(s.counters.Newest)
	percent, sent := counter.Possession(s.counters.Newest)
	s.pressure.Add(momentum.Points(&m, supplied), percent, sent, s.tau)
	s.minutes.Account(&before, &s.clock, seconds, minutes.Carries(&m, wasNull, counter.HasNull(s.counters.Newest), supplied))
	s.minutes.AddPoints(&s.clock, &m, supplied)
	s.timeline.Update(s.step(), sample, &m, &before)
	s.status(sample)
}

// threatAfter returns the threat after a sample with the movement m; counted are the counters
// before it. A break has no threat.
func (s *State) threatAfter(m *counter.Movement, counted []football.Counter) momentum.Threat {
	if s.clock.IsBreak() {
		return momentum.Threat{}
	}
	return s.pressure.Threat.After(m, counted, s.counters.Newest, s.tau)
}

// baseline stores counters and score without counting them as movement. If one is lower
// than before, the event did not happen, though; and if one is higher, it may be of an
// event that the provider had listed.
func (s *State) baseline(sample *input.Sample) counter.Movement {
	m := counter.Movement{Baseline: true, Undated: s.counters.Rebase(sample, s.moment())}
	s.seenTau, s.observed = s.tau, 0
	s.timeline.Rebase(s.step())
	percent, sent := counter.Possession(s.counters.Newest)
	s.pressure.HasHeld, s.pressure.Threat = false, momentum.Threat{}
	s.pressure.Add([2]int64{}, percent, sent, s.tau)
	return m
}

// move compares a sample's counters with the last ones.
func (s *State) move(sample *input.Sample, comparable bool) counter.Movement {
	now := s.step()
	memory := func(state football.VisualState, side int) int { return s.timeline.Memory(now, state, side) }
	return s.counters.Move(sample, now.Moment, comparable, memory)
}

// observe records for how long movement could be seen without a gap. If the counters
// were missing for longer than [rules.MaxBlind], it starts again.
func (s *State) observe(m *counter.Movement) {
	if !counter.SupplyOf(s.counters.Newest).Any() {
		return
	}
	since := s.tau - s.seenTau
	s.seenTau = s.tau
	switch {
	case since > rules.MaxBlind:
		s.observed = 0
	case m.Carried:
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
	s.clock.Runs = false
	if s.clock.Phase != football.FullTime && s.timeline.HasBegun() {
		s.goStale()
	}
}

func (s *State) checkAge() {
	if s.InPlay() && s.isStale() {
		s.goStale()
	}
}

func (s *State) goStale() {
	s.timeline.GoStale(s.step(), s.freshAt+s.maxAge().Milliseconds())
}
