package football

// Status is the quality of one selection (quality.status).
type Status string

const (
	// StatusOK: the meaning of the selection is proven.
	StatusOK Status = "OK"
	// StatusSuspect: readable, but not proven beyond doubt.
	StatusSuspect Status = "SUSPECT"
	// StatusUnreadable: something in it could not be read.
	StatusUnreadable Status = "UNREADABLE"
)

// Statuses lists every verdict.
func Statuses() []Status { return []Status{StatusOK, StatusSuspect, StatusUnreadable} }

// Reason says why a selection is not publishable, or why a market stayed RAW.
type Reason string

const (
	AmbiguousShape      Reason = "AMBIGUOUS_SHAPE"      // its fields do not fit the market's shape, or fit it in two ways
	UnreadableLine      Reason = "UNREADABLE_LINE"      // line missing, of a wrong kind, or present twice with different prices
	UnresolvedQualifier Reason = "UNRESOLVED_QUALIFIER" // a team, player or label could not be resolved
	OddsMissing         Reason = "ODDS_MISSING"         // neither form of the price was sent
	OddsNull            Reason = "ODDS_NULL"            // the price was sent without a value
	OddsUnreadable      Reason = "ODDS_UNREADABLE"      // the price is not a number
	OddsNoOffer         Reason = "ODDS_NO_OFFER"        // the price is 1, or so near to it that a bet wins nothing
	Suspended           Reason = "SUSPENDED"            // the provider marks the selection as suspended
	Superseded          Reason = "SUPERSEDED"           // only in an older copy of the market, not in the newest one
	MarketNotMapped     Reason = "MARKET_NOT_MAPPED"    // the market is RAW

	// Reasons for a market to stay RAW.
	UnknownMarket   Reason = "UNKNOWN_MARKET"   // the name is not in the mapping table
	NeverMapped     Reason = "NEVER_MAPPED"     // the table says this name cannot be proven
	ConditionFailed Reason = "CONDITION_FAILED" // the selections do not pass the table's test
	MixedMarket     Reason = "SEVERAL_IN_ONE"   // one provider market has several, which cannot be distinguished
	NoParticipants  Reason = "NO_PARTICIPANTS"  // it needs the teams' names, which were not sent
)

// QualityReasons lists every reason a selection can carry.
func QualityReasons() []Reason {
	return []Reason{AmbiguousShape, UnreadableLine, UnresolvedQualifier,
		OddsMissing, OddsNull, OddsUnreadable, OddsNoOffer, Suspended, Superseded, MarketNotMapped}
}

// Quality is the service's judgement of a selection; it never changes the odds.
type Quality struct {
	Status      Status
	Publishable bool
	Reasons     []Reason // sorted, distinct; empty when OK
}
