package live

import (
	"time"

	"mkt/publish/football"
)

// This file has every number on which stored bytes depend. A test fails if one of them changes
// and [Rules] does not.

// Rules is the version of the rules that turn samples into published data. It changes
// when the same samples would have another result.
//
//	live-9: a shoot-out is no event; the list dates a side's events if it has exactly as many as the count;
//	        an end that play follows goes; no goals after the end; sides that are exchanged begin anew
const Rules = "live-9"

// How long samples and states are used.
const (
	// StaleAfter is how old the newest sample may be while the clock runs. After it,
	// a quarter of the fast part of pressure has faded, and counters that moved
	// meanwhile cannot be dated.
	StaleAfter = 60 * time.Second
	// StaleAtRest is the same while the clock is stopped, as at half-time.
	StaleAtRest = 3 * time.Minute
	// Linger is how long a fixture that left play is kept.
	Linger = 15 * time.Minute
)

// maxBlind is [StaleAfter] in seconds. What moved during a longer gap cannot be dated.
const maxBlind = int(StaleAfter / time.Second)

// The clock.
const (
	// clockSlack is by how many seconds a running clock may differ from the time
	// between two samples.
	clockSlack = 30
	// replicaLag is how many seconds one of a provider's servers may be behind
	// another. Such a sample is old, and not a correction.
	replicaLag = 20
	// maxPosition is the greatest valid position of a scoreboard, in seconds.
	maxPosition = 200 * 60
)

// minuteGrain is how many seconds a running clock without seconds may show one minute,
// with what a provider needs to renew it.
const minuteGrain = 75

// Counters.
const (
	// fallMemory is how many seconds of match clock the old value of a counter that
	// fell is remembered. A counter that climbs back to it has not moved.
	fallMemory = 120
	// eventMemory is the same for what the timeline reports. It is rarer than attacks, so that a
	// rise is less likely to be a new event. One that was taken back within takenBackWithin
	// seconds was hardly right, though, unless the provider still lists it.
	eventMemory     = 180
	takenBackWithin = 120
	// maxDelta is how far a counter can rise between two samples. A greater rise is a
	// correction.
	maxDelta = 20
)

// The bounds within which a sample is accepted.
const (
	maxCounters = 80
	maxScore    = 200
	maxAdded    = 60 // minutes of stoppage time
	maxText     = 1000
)

// maxIncidents is how many entries of a provider's list are read.
const maxIncidents = 400

// The formula of docs/momentum.md. Points are kept in millionths, time in whole
// seconds of the match clock, so that every step is exact whole-number work.
const (
	point = 1_000_000

	fastHalfLife = 120
	slowHalfLife = 2100
	slowShare    = 5 // pressure = fast + slow/5

	weightDangerous = point
	weightShot      = point / 2
	weightCorner    = point
	// Attacks count only where something better is not sent.
	weightAttackNoPossession = point * 15 / 100
	weightAttackNoDangerous  = point * 30 / 100

	// possessionPoint: possession earns 2 points a minute. Percent times seconds
	// of match clock are divided by 100 to be seconds of possession.
	possessionPoint = 2 * point / 60 // a second

	most = 1000 * point // bounds the state, far above the pressure of any match

	priorFull = 5 * point
	priorThin = 3 * point // without possession, or without dangerous attacks
)

// threats holds what a rise of a counter threatens, and for how many seconds of
// match clock. What it adds to pressure is given in quarters of the prior: 1.25, 2.5
// and 20 points, and less in a feed that lacks a counter, where the same points would
// make the number jump.
var threats = [...]struct {
	name     string
	metric   football.Metric
	quarters int64
	lasts    int
}{
	attackThreat:  {"an attack", football.Attacks, 1, 12},
	cornerThreat:  {"a corner", football.Corners, 2, 45},
	penaltyThreat: {"a penalty", football.Penalties, 16, 180},
}

// maxShort is the greatest number of players by which a side can be short of the other.
// After a fifth red card it has fewer than seven players, and the match ends.
const maxShort = 5

// keepsWhenShort holds 1.5 to the power of -n for a side that is n players short.
var keepsWhenShort = [maxShort + 1]keptPart{{1, 1}, {2, 3}, {4, 9}, {8, 27}, {16, 81}, {32, 243}}

// maxRed is the greatest plausible number of red cards of a side, one for each player.
const maxRed = 11

// minObserved is how many seconds of match clock must have been seen since the baseline.
// With fewer, the leader changes too often.
const minObserved = 120

// How far home must be from 50 for each strength.
const (
	slightLead = 4
	clearLead  = 8
	strongLead = 13
)

// Minutes.
const (
	// maxStoppage bounds the minutes of stoppage time of a half.
	maxStoppage = 30
	// maxPoints bounds the points of one minute, far above those of any match.
	maxPoints = 1 << 15
	// blindSlack is how many seconds of a minute may be unseen if the minute still gets a
	// number: one cycle, and the error of a scoreboard.
	blindSlack = 10

	// Points of a minute. Attacks count only if dangerous attacks are not sent.
	pointsDangerous = 2
	pointsShot      = 1
	pointsCorner    = 2
	pointsAttack    = 1
)

// eventSeconds is for how many seconds of match clock an event is the state of play.
var eventSeconds = map[football.VisualState]int{
	football.VisualKickOff: 24, football.VisualSubstitution: 16, football.VisualCorner: 24,
	football.VisualCard: 24, football.VisualPenalty: 60, football.VisualGoal: 60,
}

// Thresholds of the states between events, in seconds of match clock and in points of
// the fast part of pressure.
const (
	attackHolds  = 24 // after a dangerous attack, or an attack where those are not sent
	dangerHolds  = 32 // after a shot, or a second dangerous attack within dangerWithin
	dangerWithin = 40

	kickOffWithin    = 60  // of the half, for its beginning to have been seen
	kickOffAfterHalf = 180 // the same if the half before was seen

	// Pressure begins at pressureBegins when it is beginsTimes the other side's, and
	// lasts while it is at least pressureEnds and endsTimes the other side's.
	pressureBegins, beginsTimes = 3 * point, 2.0
	pressureEnds, endsTimes     = 2 * point, 1.5
)

// The timeline.
const (
	// maxEntries is the greatest length of a timeline. The oldest entries are dropped
	// first. A match has about 160.
	maxEntries = 600
	// confirmWithin is how many seconds a counter may rise after the minute of the
	// provider's own event if both are the same event.
	confirmWithin = 180
	// earlyWithin is how many seconds before its minute an event may have been
	// seen in a counter.
	earlyWithin = 20
)
