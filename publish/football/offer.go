package football

// Offer is one provider market on one fixture as the provider words it: what a
// provider's reader gives and the market engine names. Copies of the market met
// in several tabs are merged already, label rows are joined to their prices.
// Nothing in it is interpreted but by Reading, the provider's table entry.
type Offer struct {
	Key         string // the provider's market key, stable over payload shapes; distinct on a fixture
	SharedKey   string // the key as it is sent, where Key tells several apart that bear it; else ""
	ProviderIDs []string
	KnownID     string // stands for all of ProviderIDs that the table knows for the key; "" when there is none
	Name        Field[string]
	Sections    []string
	Rows        []OfferRow // may be empty: listed without prices
	Reading     *Reading   // nil when the table does not map the key
	RawReason   Reason     // why Reading is nil
}

// OfferRow is one priced row.
type OfferRow struct {
	ID                  Field[string]
	Labels              []Label // descriptive texts, verbatim, in the provider's field order
	Decimal, Fractional Field[string]
	Suspended           bool
	Place               uint32 // the byte of the payload at which it begins; 0 unless the reading is traced
	Trouble             Reason // set when the reader could not join the row to its label
}

// HeadField is the field of a label that is the head of the row's column,
// whatever a provider calls it: it is read before the row's other labels, so
// that a "1" there is a side and a "1" below it a number.
const HeadField = "header"

// Reading is what a provider's mapping table says of one market key: the
// canonical definition it claims, to be proven row by row by the engine.
type Reading struct {
	Market    string // canonical name
	Period    string // canonical period; "" when the rows say it
	Subject   string // "", HOME, AWAY, or TEAM when the rows name the side
	Parameter string // a target or ordinal fixed by the market's name: "3", "FIRST", "LAST", "ANYTIME"
	Rank      int    // among the keys that share the definition; 1 owns the bare market id
	Rule      string // names the table line, for people
	Shape     Shape
	Condition Condition
}

// Shape names provider habits that change how the same words are read.
type Shape uint8

const (
	// WinnerFirst: scores put the winner's goals first.
	WinnerFirst Shape = 1 << iota
	// DrawHasAwaySign: the draw row of a three-way handicap carries the away side's sign.
	DrawHasAwaySign
	// OwnSideLine: a two-way handicap row carries its own side's line.
	OwnSideLine
)

// Condition is a test the rows must pass for the reading to hold.
type Condition string

const (
	NoCondition   Condition = ""
	NeedsExactly  Condition = "EXACTLY"        // rows must include Exactly
	NeedsBands    Condition = "BANDS"          // rows must all be bands
	NeedsHalves   Condition = "HALVES"         // rows name side and half: one market a half and side
	NeedsSentence Condition = "TEAM_SENTENCE"  // rows are sentences naming a side
	NeedsScorers  Condition = "SCORER_COLUMNS" // rows name first, last or anytime
	NeedsGoals    Condition = "GOALS_NAMED"    // every row must say Goals: the name alone leaves open what is counted
)
