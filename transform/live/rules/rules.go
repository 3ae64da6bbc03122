// Package rules has the numbers on which the stored bytes of live data depend, with the version of
// the rules, and the words in which explain states the rules.
package rules

import (
	"time"

	"mkt/publish/football"
)

// This file has every number on which stored bytes depend. A test fails if one of them changes
// and [Version] does not.

// Version is the version of the rules that turn samples into published data. It changes
// when the same samples would have another result.
//
//	live-9: a shoot-out is no event; the list dates a side's events if it has exactly as many as the count;
//	        an end that play follows goes; no goals after the end; sides that are exchanged start again
//	live-10: entries have ids; what was taken back is listed
const Version = "live-10"

// How long samples and states are used.
const (
	// StaleAfter is how old the newest sample may be while the clock runs. After it,
	// a quarter of the fast part of pressure has faded, and counters that moved
	// meanwhile cannot be dated.
	StaleAfter = 60 * time.Second
	// StaleAtRest is the same while the clock is stopped, as at half-time.
	StaleAtRest = 3 * time.Minute
	// Linger is how long a fixture that left play is kept, and after how long one that the lists lack
	// has left play in any case.
	Linger = 15 * time.Minute
)

// MaxBlind is [StaleAfter] in seconds. What moved during a longer gap cannot be dated.
const MaxBlind = int(StaleAfter / time.Second)

// The clock.
const (
	// ClockSlack is by how many seconds a running clock may differ from the time
	// between two samples.
	ClockSlack = 30
	// ReplicaLag is how many seconds one of a provider's servers may be behind
	// another. Such a sample is old, and not a correction.
	ReplicaLag = 20
	// MaxPosition is the greatest valid position of a scoreboard, in seconds.
	MaxPosition = 200 * 60
)

// MinuteGrain is how many seconds a running clock without seconds may show one minute,
// with what a provider needs to renew it.
const MinuteGrain = 75

// Counters.
const (
	// FallMemory is how many seconds of match clock the old value of a counter that
	// fell is remembered. A counter that climbs back to it has not moved.
	FallMemory = 120
	// EventMemory is the same for what the timeline reports. It is rarer than attacks, so that a
	// rise is less likely to be a new event. One that was taken back within TakenBackWithin
	// seconds was hardly right, though, unless the provider still lists it.
	EventMemory     = 180
	TakenBackWithin = 120
	// MaxDelta is how far a counter can rise between two samples. A greater rise is a
	// correction.
	MaxDelta = 20
)

// The bounds within which a sample is accepted.
const (
	MaxCounters = 80
	MaxScore    = 200
	MaxAdded    = 60 // minutes of stoppage time
	MaxText     = 1000
)

// MaxIncidents is how many entries of a provider's list are read.
const MaxIncidents = 400

// The formula of docs/momentum.md. Points are kept in millionths, time in whole
// seconds of the match clock, so that every step is exact whole-number work.
const (
	Point = 1_000_000

	FastHalfLife = 120
	SlowHalfLife = 2100
	SlowShare    = 5 // pressure = fast + slow/5

	WeightDangerous = Point
	WeightShot      = Point / 2
	WeightCorner    = Point
	// Attacks count only where something better is not sent.
	WeightAttackNoPossession = Point * 15 / 100
	WeightAttackNoDangerous  = Point * 30 / 100

	// PossessionPoint: possession earns 2 points a minute. Percent times seconds
	// of match clock are divided by 100 to be seconds of possession.
	PossessionPoint = 2 * Point / 60 // a second

	MaxPressure = 1000 * Point // bounds the state, far above the pressure of any match

	PriorFull = 5 * Point
	PriorThin = 3 * Point // without possession, or without dangerous attacks
)

// Threats holds what a rise of a counter threatens, and for how many seconds of
// match clock. What it adds to pressure is given in quarters of the prior: 1.25, 2.5
// and 20 points, and less in a feed that lacks a counter, where the same points would
// make the number jump.
var Threats = [...]struct {
	Name     string
	Metric   football.Metric
	Quarters int64
	Lasts    int
}{
	AttackThreat:  {"an attack", football.Attacks, 1, 12},
	CornerThreat:  {"a corner", football.Corners, 2, 45},
	PenaltyThreat: {"a penalty", football.Penalties, 16, 180},
}

// MaxShort is the greatest number of players by which a side can be short of the other.
// After a fifth red card it has fewer than seven players, and the match ends.
const MaxShort = 5

// KeepsWhenShort holds 1.5 to the power of -n for a side that is n players short.
var KeepsWhenShort = [MaxShort + 1]Fraction{{1, 1}, {2, 3}, {4, 9}, {8, 27}, {16, 81}, {32, 243}}

// MaxRed is the greatest plausible number of red cards of a side, one for each player.
const MaxRed = 11

// MinObserved is how many seconds of match clock must have been seen since the baseline.
// With fewer, the leader changes too often.
const MinObserved = 120

// How far home must be from 50 for each strength.
const (
	SlightLead = 4
	ClearLead  = 8
	StrongLead = 13
)

// Minutes.
const (
	// MaxStoppage bounds the minutes of stoppage time of a half.
	MaxStoppage = 30
	// MaxPoints bounds the points of one minute, far above those of any match.
	MaxPoints = 1 << 15
	// BlindSlack is how many seconds of a minute may be unseen if the minute still gets a
	// number: one cycle, and the error of a scoreboard.
	BlindSlack = 10

	// Points of a minute. Attacks count only if dangerous attacks are not sent.
	PointsDangerous = 2
	PointsShot      = 1
	PointsCorner    = 2
	PointsAttack    = 1
)

// EventSeconds is for how many seconds of match clock an event is the state of play.
var EventSeconds = map[football.VisualState]int{
	football.VisualKickOff: 24, football.VisualSubstitution: 16, football.VisualCorner: 24,
	football.VisualCard: 24, football.VisualPenalty: 60, football.VisualGoal: 60,
}

// Thresholds of the states between events, in seconds of match clock and in points of
// the fast part of pressure.
const (
	AttackHolds  = 24 // after a dangerous attack, or an attack where those are not sent
	DangerHolds  = 32 // after a shot, or a second dangerous attack within DangerWithin
	DangerWithin = 40

	KickOffWithin    = 60  // of the half, for its beginning to have been seen
	KickOffAfterHalf = 180 // the same if the half before was seen

	// Pressure begins at PressureBegins when it is BeginsTimes the other side's, and
	// lasts while it is at least PressureEnds and EndsTimes the other side's.
	PressureBegins, BeginsTimes = 3 * Point, 2.0
	PressureEnds, EndsTimes     = 2 * Point, 1.5
)

// The timeline.
const (
	// MaxEntries is the greatest length of a timeline. The oldest entries are dropped
	// first. A match has about 160.
	MaxEntries = 600
	// ConfirmWithin is how many seconds a counter may rise after the minute of the
	// provider's own event if both are the same event.
	ConfirmWithin = 180
	// EarlyWithin is how many seconds before its minute an event may have been
	// seen in a counter.
	EarlyWithin = 20
)
