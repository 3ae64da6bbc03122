package live

import (
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Rules is the version of all that turns samples into what is published: it
// changes when the same samples would give something else.
const Rules = "live-2"

// maxBlind is StaleAfter in seconds: what moved in a longer time cannot be dated.
const maxBlind = int(StaleAfter / time.Second)

// Follows tells whether a sample is of a fixture to keep a state of: one that is
// in play, or was when it was met before.
func Follows(previous *State, s *input.Sample) bool {
	return previous != nil || s.Status == input.InPlay || s.Status == input.Halted
}

// Fold takes a sample into the state, nil when there is none yet. The previous
// state stays as it was. Samples of one fixture are given in the order they were
// retrieved.
func Fold(previous *State, given *input.Sample) State {
	believed := believable(given)
	sample := &believed
	at := sample.At().UnixMilli()
	if previous == nil {
		return begin(sample, at)
	}
	next := previous.own()
	next.who = identityOf(sample)
	next.at = max(previous.at, sample.RetrievedAt.UnixMilli())
	if sample.Status == input.Off || sample.Status == input.NotStarted {
		next.freshAt = max(previous.freshAt, at)
		next.leave()
		return next
	}
	elapsed := int(min((at-previous.freshAt+500)/1000, 1<<20))
	now := resolve(&previous.clock, sample, max(0, elapsed))
	if at < previous.freshAt || previous.clock.isBehind(&now) || previous.saysNothing(&now, sample) {
		next.grow()
		return next
	}
	next.take(sample, now, elapsed, at)
	return next
}

// Pass lets a cycle go by in which the fixture was not sampled: nothing new is
// known, and what is known grows older.
func Pass(previous State, at time.Time) State {
	next := previous.own()
	next.at = max(previous.at, at.UnixMilli())
	next.grow()
	return next
}

// Leave marks a fixture that a complete list no longer holds.
func Leave(previous State, at time.Time) State {
	next := Pass(previous, at)
	next.leave()
	return next
}

// begin makes a state of a first sample: a baseline.
func begin(sample *input.Sample, at int64) State {
	s := State{who: identityOf(sample), firstAt: at, at: max(at, sample.RetrievedAt.UnixMilli()), freshAt: at,
		clock: resolve(nil, sample, 0), scene: newScene()}
	s.tau = s.clock.position
	s.account(&clock{}, 0, carryMissing)
	m := s.baseline(sample)
	s.watch(sample, &m, football.NoPhase)
	s.status(sample)
	return s
}

// own is the state that a step modifies. Its timeline is copied when it changes,
// as it does in few steps.
func (s *State) own() State {
	next := *s
	next.ownsTimeline = false
	return next
}

// saysNothing tells a sample that repeats the last one although the clock should
// have moved: a feed that stalls goes on answering.
func (s *State) saysNothing(now *clock, sample *input.Sample) bool {
	return s.clock.runs && now.runs && now.known && s.clock.position == now.position && s.clock.half == now.half &&
		s.score == sample.Score && slices.Equal(s.counters, sample.Counters) && !s.hasNews(sample)
}

// take is a sample that tells something.
func (s *State) take(sample *input.Sample, now clock, elapsed int, at int64) {
	seconds := s.clock.played(&now, elapsed)
	gap := seconds > maxBlind || s.clock.runs && elapsed > maxBlind
	before, wasNull := s.clock, nullSent(s.counters)
	s.clock, s.freshAt = now, at
	s.tau += seconds
	if now.Phase.Half() != 0 && now.half > before.half && before.half > 0 {
		s.pressure.rest()
	}
	s.pressure.decay(seconds)
	if last := s.last(); gap || last != nil && last.state == football.VisualStale {
		s.account(&before, seconds, carryMissing)
		m := s.baseline(sample)
		s.watch(sample, &m, before.Phase)
		s.status(sample)
		return
	}
	counted := s.counters
	m := s.move(sample)
	s.observe(&m)
	s.pressure.threat = s.threatAfter(&m, counted)
	supplied := supplyOf(s.counters)
	percent, sent := possession(s.counters)
	s.pressure.add(m.points(supplied), percent, sent, s.tau)
	s.account(&before, seconds, m.carries(wasNull, nullSent(s.counters), supplied))
	s.addPoints(&m, supplied)
	s.watch(sample, &m, before.Phase)
	s.status(sample)
}

// baseline takes counters and score as they are: they count as no movement. What
// is lower than it was before did not happen, though.
func (s *State) baseline(sample *input.Sample) movement {
	m := movement{baseline: true, events: s.lower(sample)}
	s.counters, s.score, s.falls = sample.Counters, sample.Score, nil
	s.seenTau, s.observed = s.tau, 0
	if s.base = s.place(); s.rests() {
		s.base.position = maxPosition // the half is over: all of it is in the counters
	}
	percent, sent := possession(s.counters)
	s.pressure.hasHeld, s.pressure.threat = false, threat{}
	s.pressure.add([2]int64{}, percent, sent, s.tau)
	return m
}

// observe keeps for how long movement could be seen without a gap. Counters that
// return after more than a minute begin anew.
func (s *State) observe(m *movement) {
	if !supplyOf(s.counters).any() {
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

// status follows the fixture into play and out of it.
func (s *State) status(sample *input.Sample) {
	if sample.Status == input.InPlay || sample.Status == input.Halted {
		s.leftAt = 0
		return
	}
	s.leave()
}

// leave marks that the fixture is in play no more.
func (s *State) leave() {
	if s.leftAt == 0 {
		s.leftAt = s.at
	}
	s.clock.runs = false
	if s.clock.Phase != football.FullTime && len(s.timeline) > 0 {
		s.goStale()
	}
}

// grow lets the state grow older: past its limit it is stale, and says so
// instead of what it said last.
func (s *State) grow() {
	if s.InPlay() && s.isStale() {
		s.goStale()
	}
}

// goStale enters that nothing can be said any more. That is so from when the
// newest sample became too old, however late a step notices.
func (s *State) goStale() {
	at := max(s.heldAt, min(s.at, s.freshAt+s.patience().Milliseconds()))
	s.keep(at, football.VisualStale, football.SideNone, football.Unknown)
	s.heldAt = s.at
}
