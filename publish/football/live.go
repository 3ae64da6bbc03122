package football

import "time"

// Live is the state of one fixture in play at one moment: the live product's counterpart
// of Fixture and its markets. Its slices may be shared and must not be modified.
//
// Source: interface specification, section 2.13.
type Live struct {
	Fixture  Fixture   // its FetchedAt is the newest retrieval with the fixture in it
	EventID  string    // the provider's id of the live record, if it has one of its own
	InPlay   bool      // false: it left play and is kept for a while
	At       time.Time // when this state was valid
	StaleAt  time.Time // when the state becomes too old without a newer one; zero out of play
	Clock    Clock
	Score    Score
	Visual   Visual
	Momentum Momentum
	Counters []Counter // sorted by metric

	Timeline []TimelineEntry // oldest first, one entry per change of state
	// Revision rises with every change of Timeline and Withdrawn, but not when the newest
	// entry goes on.
	Revision  int
	Withdrawn []Withdrawal // in the order of withdrawal
	Series    Series
	Periods   []PeriodSum // the periods played or begun, in order
}

// Clock is the scoreboard's clock, computed from the provider's data.
type Clock struct {
	Phase          Phase
	Minute, Second Field[int]  // as on the scoreboard: 45:00 begins the second half, 92:10 is stoppage time
	Added          Field[int]  // announced minutes of stoppage time
	Running        Field[bool] // false during breaks and while the clock is stopped
}

// Phase of play, clock.period on the wire.
type Phase string

const (
	NoPhase         Phase = "" // before kick-off, or not known
	FirstHalf       Phase = "1H"
	HalfTime        Phase = "HT"
	SecondHalf      Phase = "2H"
	Break           Phase = "BREAK" // before extra time, between its halves
	ExtraFirstHalf  Phase = "ET_1H"
	ExtraSecondHalf Phase = "ET_2H"
	Shootout        Phase = "PEN"
	FullTime        Phase = "FT" // over; also the end of normal time, until extra time is reported
)

// Phases lists every phase but the unknown one, in the order of play.
func Phases() []Phase {
	return []Phase{FirstHalf, HalfTime, SecondHalf, Break, ExtraFirstHalf, ExtraSecondHalf, Shootout, FullTime}
}

// Half is the number of the half being played, 1 to 4, and 0 in every other phase.
func (p Phase) Half() int {
	switch p {
	case FirstHalf:
		return 1
	case SecondHalf:
		return 2
	case ExtraFirstHalf:
		return 3
	case ExtraSecondHalf:
		return 4
	}
	return 0
}

// HalfBegins is the minute of the scoreboard at which a half, 1 to 4, begins.
func HalfBegins(half int) int { return [...]int{0, 0, 45, 90, 105}[half] }

// HalfEnds is the minute of the scoreboard at which a half, 1 to 4, ends without stoppage time; 0
// if half is 0.
func HalfEnds(half int) int { return [...]int{0, 45, 90, 105, 120}[half] }

// Score is the goals of each side, without a shoot-out.
type Score struct{ Home, Away Field[int] }

// Momentum is the pressure of one fixture over a rolling window, or the reason why there
// is none. It is not a probability, and can be compared only within one fixture.
type Momentum struct {
	Reason     UnavailableReason // "" if there is a number
	Home, Away int               // sum to 100
	Leader     Leader
	Strength   Strength
	Scope      Scope
	FeedAge    time.Duration // age of the newest sample with new information, even if there is no number
}

// Available reports whether there is a number.
func (m Momentum) Available() bool { return m.Reason == "" }

// Visual is the current state of play, from the newest timeline entry. It is zero if there is
// none yet.
type Visual struct {
	State      VisualState
	Certainty  Certainty
	SideProven Side
	Since      time.Time
}

// TimelineEntry is one state of play and its certainty. It lasts until the next entry
// begins.
type TimelineEntry struct {
	// ID is opaque, and the same whatever is corrected of the entry. No other entry of any
	// timeline has it.
	ID string
	// At is the time of the observation, UTC, milliseconds. An event listed late by the provider
	// gets the time at which the next entry begins.
	At   time.Time
	Half int // the half it belongs to, 1 to 4; 0 before kick-off, or if not known
	// Minute and Second are its time on the scoreboard and never decrease along a
	// timeline; missing if no timer, or no second, was sent. All stoppage time of a half is
	// 45:00, 90:00, 105:00 or 120:00.
	Minute, Second Field[int]
	Added          int // minute of stoppage time, as of a Bucket: 2 is the second one, 0 means none
	State          VisualState
	Certainty      Certainty
	SideProven     Side
	Until          time.Time // when the next entry begins; for the newest entry, its last observation
	ListedAt       time.Time // when the provider's own list first contained the event; zero unless Certainty is Exact
}

// Withdrawal is an entry that the timeline of a publication had and no longer has.
type Withdrawal struct {
	Entry TimelineEntry // as last published
	// ShownFrom is the time of the first publication with the entry, and At that of the first
	// without it: the time At of the [Live] in it.
	ShownFrom, At time.Time
	Reason        WithdrawalReason
	ReplacedBy    string // id of the entry that is in its place, "" if there is none
}

// Series is pressure per side and minute of play.
type Series struct {
	Max       int // the highest number of any bucket, 0 if none has one
	MaxMinute int // the last bucket's minute, 0 without buckets
	Buckets   []Bucket
}

// Bucket is one minute of play. Minute counts from 1: 46 begins the second half, 91 and
// 106 the halves of extra time. Every minute of stoppage time is a bucket of its own,
// with the Minute of its half's last (45, 90, 105, 120) and its number in Added.
type Bucket struct {
	Minute     int
	Added      int // 2 is the second minute of stoppage time, 0 means none
	Home, Away int // pressure points; 0 unless State is BucketValue
	State      BucketState
}

// PeriodSum is the sum of the buckets of one half, if each of them has a number.
type PeriodSum struct {
	Half       int // 1 or 2, in extra time 3 or 4
	Home, Away int
	State      BucketState
	Minutes    int // the number of buckets in the half
	Known      int // the number of buckets with a number
	// KnownHome and KnownAway are the sums of the buckets with a number.
	KnownHome, KnownAway int
}
