package football

// VisualState is the state of play in a timeline entry.
type VisualState string

const (
	VisualKickOff      VisualState = "KICK_OFF"
	VisualCalm         VisualState = "CALM"     // nothing changed lately; with Unknown: there is too little information
	VisualAttack       VisualState = "ATTACK"   // a side attacked
	VisualPressure     VisualState = "PRESSURE" // a side has attacked much more than the other for a while
	VisualDanger       VisualState = "DANGER"   // a shot, or dangerous attacks in quick succession
	VisualCorner       VisualState = "CORNER"
	VisualGoal         VisualState = "GOAL"
	VisualCard         VisualState = "CARD"
	VisualPenalty      VisualState = "PENALTY"
	VisualSubstitution VisualState = "SUBSTITUTION"
	VisualHalfTime     VisualState = "HALF_TIME" // any break between halves
	VisualFullTime     VisualState = "FULL_TIME"
	VisualStale        VisualState = "STALE" // the feed is too old
)

// VisualStates lists every state of the timeline.
func VisualStates() []VisualState {
	return []VisualState{VisualKickOff, VisualCalm, VisualAttack, VisualPressure, VisualDanger, VisualCorner,
		VisualGoal, VisualCard, VisualPenalty, VisualSubstitution, VisualHalfTime, VisualFullTime, VisualStale}
}

// Certainty says how reliable a timeline entry is.
type Certainty string

const (
	// Exact: anchored to an event of the provider with a time.
	Exact Certainty = "EXACT"
	// Inferred: counters, score or clock changed between two samples.
	Inferred Certainty = "INFERRED"
	// Unknown: the information is too little or too old.
	Unknown Certainty = "UNKNOWN"
)

// Certainties lists every certainty.
func Certainties() []Certainty { return []Certainty{Exact, Inferred, Unknown} }

// Side of a fixture.
type Side string

const (
	SideHome Side = "HOME"
	SideAway Side = "AWAY"
	SideNone Side = "NONE"
)

// Sides lists every side.
func Sides() []Side { return []Side{SideHome, SideAway, SideNone} }

// Leader is the side with the momentum.
type Leader string

const (
	LeaderHome     Leader = "HOME"
	LeaderAway     Leader = "AWAY"
	LeaderBalanced Leader = "BALANCED"
)

// Leaders lists every leader.
func Leaders() []Leader { return []Leader{LeaderHome, LeaderAway, LeaderBalanced} }

// Strength is the distance of momentum from even. docs/momentum.md has the steps and their
// meaning.
type Strength string

const (
	StrengthNone   Strength = "NONE"
	StrengthSlight Strength = "SLIGHT"
	StrengthClear  Strength = "CLEAR"
	StrengthStrong Strength = "STRONG"
)

// Strengths lists every strength, weakest first.
func Strengths() []Strength {
	return []Strength{StrengthNone, StrengthSlight, StrengthClear, StrengthStrong}
}

// Scope is the scope within which momentum may be compared.
type Scope string

// ScopeFixture: only with other moments of the same fixture.
const ScopeFixture Scope = "FIXTURE"

// UnavailableReason says why there is no momentum.
type UnavailableReason string

const (
	InsufficientSamples UnavailableReason = "INSUFFICIENT_SAMPLES"  // too little match time seen since the baseline
	FeedStale           UnavailableReason = "FEED_STALE"            // the newest sample is too old
	CountersNotProvided UnavailableReason = "COUNTERS_NOT_PROVIDED" // no counter of pressure is sent
	NotInPlay           UnavailableReason = "NOT_IN_PLAY"           // before kick-off, or over
)

// UnavailableReasons lists every reason.
func UnavailableReasons() []UnavailableReason {
	return []UnavailableReason{InsufficientSamples, FeedStale, CountersNotProvided, NotInPlay}
}

// WithdrawalReason says why an entry is not in the timeline any more.
type WithdrawalReason string

const (
	TookBack    WithdrawalReason = "PROVIDER_TOOK_BACK" // the provider does not list or report it any more
	CounterFell WithdrawalReason = "COUNTER_FELL"       // the counter or the score does not include it any more
	Replaced    WithdrawalReason = "REPLACED"           // another entry is in its place
	Restarted   WithdrawalReason = "RESTARTED"          // the timeline began again
)

// WithdrawalReasons lists every reason.
func WithdrawalReasons() []WithdrawalReason {
	return []WithdrawalReason{TookBack, CounterFell, Replaced, Restarted}
}

// BucketState is the state of a number per minute or period. On the wire it uses the contract's
// own frozen words.
type BucketState string

const (
	BucketValue   BucketState = "VALUE"   // a number, not zero
	BucketZero    BucketState = "ZERO"    // a real zero
	BucketMissing BucketState = "MISSING" // not sent, or the minute was not observed
	BucketNull    BucketState = "NULL"    // sent without a value
)

// BucketStates lists every bucket state.
func BucketStates() []BucketState {
	return []BucketState{BucketValue, BucketZero, BucketMissing, BucketNull}
}
