package live

import (
	"fmt"
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

// State is everything that is stored of one fixture between two cycles. Encode writes
// it and Decode reads it. Its zero value is not valid: Fold returns the first state. It
// is a plain value, and the slices in it are never modified.
type State struct {
	who identity

	firstAt int64 // the first sample, or when the clock was set back; as every time in a state in Unix milliseconds
	at      int64 // the last step, a sample or not
	freshAt int64 // the newest sample of a feed that moved
	leftAt  int64 // when it left play; 0 while in play

	clock    clock.Clock
	counters counter.Counters
	tau      int // seconds of match clock since kick-off, breaks left out
	seenTau  int // the last at which counters of pressure could be compared
	observed int // for how many seconds up to then they could be compared without a gap
	pressure momentum.Pressure
	minutes  minutes.Minutes
	timeline timeline.Timeline
}

// identity is the fixture of a state, as the newest sample describes it.
type identity struct {
	fixtureID, eventID string
	home, away, league football.Field[string]
	startsAt           football.Field[time.Time]
}

func identityOf(s *input.Sample) identity {
	return identity{s.ProviderFixtureID, s.ProviderEventID, s.Home, s.Away, s.League, s.StartsAt}
}

// seed returns a text that no other match has. at is the time of its first sample.
func (i *identity) seed(at int64) string { return fmt.Sprint(i.fixtureID, " ", i.eventID, " ", at) }

// isExchanged reports whether a sample has home and away the other way round.
func (i *identity) isExchanged(s *input.Sample) bool {
	home, okHome := s.Home.Get()
	away, okAway := s.Away.Get()
	return okHome && okAway && home != away && i.home == s.Away && i.away == s.Home
}

// FixtureID returns the provider's id of the fixture.
func (s *State) FixtureID() string { return s.who.fixtureID }

// EventID returns the provider's id of the live record.
func (s *State) EventID() string { return s.who.eventID }

// At returns the time of the last step.
func (s *State) At() time.Time { return clock.UTC(s.at) }

// FirstAt returns the time of the first sample, or when the clock was set back.
func (s *State) FirstAt() time.Time { return clock.UTC(s.firstAt) }

// FreshAt returns the time of the newest sample of a feed that moved. If the clock was set back since, that time
// is not known, and FreshAt is so early that the state is stale.
func (s *State) FreshAt() time.Time { return clock.UTC(s.freshAt) }

// Left reports whether the fixture is known to have left play.
func (s *State) Left() bool { return s.leftAt != 0 }

// InPlay reports whether the fixture is in play: it kicked off and has not ended.
func (s *State) InPlay() bool {
	return s.leftAt == 0 && s.hasBegun() && s.clock.Phase != football.FullTime
}

// hasBegun reports whether the fixture kicked off. Without a scoreboard, the provider's
// status is enough, once there is a score or a counter or the time of kick-off has
// come.
func (s *State) hasBegun() bool {
	if s.clock.Known || s.clock.Phase != football.NoPhase {
		return s.clock.Phase != football.NoPhase
	}
	if !s.clock.Runs {
		return false
	}
	startsAt, announced := s.who.startsAt.Get()
	return s.counters.Score != football.Score{} || len(s.counters.Newest) > 0 || !announced || s.at >= startsAt.UnixMilli()
}

func (s *State) age() time.Duration { return time.Duration(s.at-s.freshAt) * time.Millisecond }

func (s *State) maxAge() time.Duration {
	if s.clock.Runs {
		return rules.StaleAfter + s.clock.Patience()
	}
	return rules.StaleAtRest
}

func (s *State) isStale() bool { return s.age() > s.maxAge() }

// StaleAt returns when the state becomes too old to say anything, unless a newer sample
// arrives. It is zero if the fixture is not in play.
func (s *State) StaleAt() time.Time {
	if !s.InPlay() {
		return time.Time{}
	}
	return clock.UTC(s.freshAt).Add(s.maxAge())
}

// Expired reports whether the fixture left play longer than [rules.Linger] ago, so that its state
// can be dropped.
func (s *State) Expired(at time.Time) bool {
	return s.leftAt != 0 && at.UnixMilli()-s.leftAt >= rules.Linger.Milliseconds()
}

// boardPosition returns the position of the scoreboard now. A clock that stopped at the end of
// a half may have been set back to the half's last minute. In that case the half ended
// where the clock was last seen to run.
func (s *State) boardPosition() clock.Board {
	c := &s.clock
	switch {
	case c.Rests() && s.minutes.RanTo > 0:
		p := clock.Board{Half: c.Half, Position: s.minutes.RanTo, Known: true}
		if c.Known {
			p.Position = max(p.Position, c.Position)
		}
		return p
	case c.Known:
		return clock.Board{Half: c.Half, Position: c.Position, Known: true}
	}
	return clock.Board{}
}

// moment returns when this step is, and how long counts last.
func (s *State) moment() counter.Moment {
	return counter.Moment{At: s.at, Tau: s.tau, Patience: (rules.StaleAfter + s.clock.Patience()).Milliseconds(), Runs: s.clock.Runs,
		IsOver: s.leftAt != 0 && s.clock.Phase == football.FullTime}
}

// step returns what the timeline needs to know of this step.
func (s *State) step() *timeline.Step {
	return &timeline.Step{Moment: s.moment(), Clock: &s.clock, Board: s.boardPosition(), IsStale: s.isStale(), Pressing: s.pressure.Fast,
		Counters: &s.counters, Minutes: &s.minutes}
}
