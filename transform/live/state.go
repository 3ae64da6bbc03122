package live

import (
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
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

	clock    clock
	counters counters
	tau      int // seconds of match clock since kick-off, breaks left out
	seenTau  int // the last at which counters of pressure could be compared
	observed int // for how many seconds up to then they could be compared without a gap
	pressure pressure
	minutes  minutes
	timeline timeline
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
func (s *State) At() time.Time { return utc(s.at) }

// FirstAt returns the time of the first sample, or when the clock was set back.
func (s *State) FirstAt() time.Time { return utc(s.firstAt) }

// FreshAt returns the time of the newest sample of a feed that moved. If the clock was set back since, that time
// is not known, and FreshAt is so early that the state is stale.
func (s *State) FreshAt() time.Time { return utc(s.freshAt) }

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
	if s.clock.known || s.clock.Phase != football.NoPhase {
		return s.clock.Phase != football.NoPhase
	}
	if !s.clock.runs {
		return false
	}
	startsAt, announced := s.who.startsAt.Get()
	return s.counters.score != football.Score{} || len(s.counters.newest) > 0 || !announced || s.at >= startsAt.UnixMilli()
}

func (s *State) age() time.Duration { return time.Duration(s.at-s.freshAt) * time.Millisecond }

func (s *State) maxAge() time.Duration {
	if s.clock.runs {
		return StaleAfter + s.clock.patience()
	}
	return StaleAtRest
}

func (s *State) isStale() bool { return s.age() > s.maxAge() }

// StaleAt returns when the state becomes too old to say anything, unless a newer sample
// arrives. It is zero if the fixture is not in play.
func (s *State) StaleAt() time.Time {
	if !s.InPlay() {
		return time.Time{}
	}
	return utc(s.freshAt).Add(s.maxAge())
}

// Expired reports whether the fixture left play longer than Linger ago, so that its state
// can be dropped.
func (s *State) Expired(at time.Time) bool {
	return s.leftAt != 0 && at.UnixMilli()-s.leftAt >= Linger.Milliseconds()
}

// boardPosition returns the position of the scoreboard now. A clock that stopped at the end of
// a half may have been set back to the half's last minute. In that case the half ended
// where the clock was last seen to run.
func (s *State) boardPosition() boardPosition {
	c := &s.clock
	switch {
	case c.rests() && s.minutes.ranTo > 0:
		p := boardPosition{c.half, s.minutes.ranTo, true}
		if c.known {
			p.position = max(p.position, c.position)
		}
		return p
	case c.known:
		return boardPosition{c.half, c.position, true}
	}
	return boardPosition{}
}

// moment returns when this step is, and how long counts last.
func (s *State) moment() moment {
	return moment{at: s.at, tau: s.tau, patience: (StaleAfter + s.clock.patience()).Milliseconds(), runs: s.clock.runs,
		isOver: s.leftAt != 0 && s.clock.Phase == football.FullTime}
}

// step returns what the timeline needs to know of this step.
func (s *State) step() *step {
	return &step{moment: s.moment(), clock: &s.clock, board: s.boardPosition(), isStale: s.isStale(), pressing: s.pressure.fast,
		counters: &s.counters, minutes: &s.minutes}
}
