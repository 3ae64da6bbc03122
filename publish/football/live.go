package football

import "time"

// Live is what is known of one fixture in play at one moment: the live product's
// counterpart of Fixture and its markets. It is a plain value; slices may be
// shared, do not modify them.
//
// Source: interface specification, section 2.13.
type Live struct {
	Fixture  Fixture   // its FetchedAt is the newest retrieval that still had something of it
	EventID  string    // the provider's id of the live record, when it has one of its own
	InPlay   bool      // false: it left play and is kept for a while
	At       time.Time // when this was so
	StaleAt  time.Time // from then on it is too old to say, unless there is something newer; zero out of play
	Clock    Clock
	Score    Score
	Visual   Visual
	Momentum Momentum
	Counters []Counter // sorted by metric

	Timeline []TimelineEntry // oldest first, one entry per change of state
	Series   Series
	Periods  []PeriodSum // the periods played or begun, in order
}

// Clock is the scoreboard's clock as resolved from what the provider sends.
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
	FullTime        Phase = "FT" // over; also the end of normal time, until extra time is known of
)

// Phases lists every phase but the unknown one, in the order of play.
func Phases() []Phase {
	return []Phase{FirstHalf, HalfTime, SecondHalf, Break, ExtraFirstHalf, ExtraSecondHalf, Shootout, FullTime}
}

// Half is the number of the half that is played, 1 to 4, and 0 in every other
// phase.
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

// HalfBegins is where a half, 1 to 4, begins on the scoreboard, in minutes.
func HalfBegins(half int) int { return [...]int{0, 0, 45, 90, 105}[half] }

// HalfEnds is where a half, 1 to 4, ends on the scoreboard without stoppage time,
// in minutes; 0 of no half.
func HalfEnds(half int) int { return [...]int{0, 45, 90, 105, 120}[half] }

// Score is the goals of each side, without a shoot-out.
type Score struct{ Home, Away Field[int] }

// Momentum is rolling-window pressure of one fixture, or the reason why there
// is none. It is no probability and comparable only inside one fixture.
type Momentum struct {
	Reason     UnavailableReason // "" when there is a number
	Home, Away int               // sum to 100
	Leader     Leader
	Strength   Strength
	Scope      Scope
	FeedAge    time.Duration // age of the newest sample with new information, also if there is no number
}

// Available reports whether there is a number.
func (m Momentum) Available() bool { return m.Reason == "" }

// Visual is the state of play now: that of the newest timeline entry, zero when
// there is none yet.
type Visual struct {
	State      VisualState
	Certainty  Certainty
	SideProven Side
	Since      time.Time
}

// TimelineEntry is one state of play and how it is known. It holds until the next
// one begins.
type TimelineEntry struct {
	// At is when it was observed, UTC, milliseconds. An event that the provider
	// listed late begins when the entry behind it does.
	At   time.Time
	Half int // the half it belongs to, 1 to 4; 0 before kick-off, or not known
	// Minute and Second are its place on the scoreboard and never run back along a
	// timeline; missing where no timer, or no second, was sent. Stoppage time of a
	// half that another one followed is the half's last second: 45:00.
	Minute, Second Field[int]
	State          VisualState
	Certainty      Certainty
	SideProven     Side
	Until          time.Time // when the next entry begins; of the newest one its last observation
	ListedAt       time.Time // when the provider's own list first held the event; zero unless Certainty is Exact
}

// Series is pressure per side and minute of play.
type Series struct {
	Max       int // the highest number of any bucket, 0 without one
	MaxMinute int // the last bucket's minute, 0 without one
	Buckets   []Bucket
}

// Bucket is one minute of play. Minute counts from 1, the minute under way: 46
// begins the second half, 91 and 106 the halves of extra time. Every minute of
// stoppage time is a bucket of its own, with the Minute of its half's last (45, 90,
// 105, 120) and its number in Added.
type Bucket struct {
	Minute     int
	Added      int // 2 is the second minute of stoppage time, 0 none
	Home, Away int // pressure points; 0 unless State is BucketValue
	State      BucketState
}

// PeriodSum is the sum of the buckets of one half, if each of them has a number.
type PeriodSum struct {
	Half       int // 1 and 2, 3 and 4 of extra time
	Home, Away int
	State      BucketState
}
