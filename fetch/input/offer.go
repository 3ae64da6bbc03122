package input

import (
	"slices"

	"mkt/publish/football"
)

// Offer is one provider market on one fixture in the provider's own words.
// Copies of the market in several tabs are merged already, and label rows are
// joined to their prices. Only Reading, the entry of the provider's mapping
// table, interprets anything.
type Offer struct {
	Key         string // the provider's market key: the same in every payload shape, and distinct within a fixture
	SharedKey   string // the key as sent, if several offers were sent with it and Key tells them apart; else ""
	ProviderIDs []string
	KnownID     string // stands for every id that the mapping table has for the key; "" if ProviderIDs holds none of them
	Name        football.Field[string]
	Sections    []string
	Rows        []Row           // may be empty: listed without prices
	Reading     *Reading        // nil if the mapping table does not map the key
	TwoWay      *Reading        // the meaning of the other lines of a three-way total known by its rows alone; else nil
	RawReason   football.Reason // why Reading is nil
}

// Row is one priced row.
type Row struct {
	ID                  football.Field[string]
	Labels              []football.Label // descriptive texts, verbatim, in the provider's field order
	Decimal, Fractional football.Field[string]
	OtherPrice          football.Field[string] // a price in a form that is neither: it is kept as a label and not published
	PriceTrouble        football.Reason        // why the price is doubtful, although it can be read
	Suspended           bool
	Place               uint32          // the offset in the payload at which the row begins; 0 unless the reading is traced
	Trouble             football.Reason // set if the reader could not join the row to its label
	// Claim is what the provider itself says of the row, in the words of the reading's dialect.
	// It is read in place of Labels, which must not contradict it; nil if there is none.
	Claim []football.Label
}

// Words are the texts that say what a row is.
func (r *Row) Words() []football.Label {
	if r.Claim != nil {
		return r.Claim
	}
	return r.Labels
}

// IsReadable reports whether the offer has an undamaged row.
func (o Offer) IsReadable() bool {
	return slices.ContainsFunc(o.Rows, func(row Row) bool { return row.Trouble != football.AmbiguousShape })
}

// Label returns the text of the first label with that field, "" if there is none.
func (r *Row) Label(field string) string {
	for _, l := range r.Labels {
		if l.Field == field {
			return l.Text
		}
	}
	return ""
}

// HeadField is the field of a label that is the head of the row's column,
// whatever a provider calls it. It is read before the row's other labels: a "1" there is
// a side, and a "1" below it a number.
const HeadField = "header"

// Reading is the claim of a provider's mapping table about one market key: a canonical
// definition. The engine must prove it row by row.
type Reading struct {
	Market    string // canonical name
	Period    string // canonical period; "" if the rows state it
	Subject   string // "", HOME, AWAY, or TEAM if the rows name the side
	Parameter string // a target or ordinal that the market's name fixes: "3", "FIRST", "LAST", "ANYTIME"
	Rank      int    // among the keys with the same definition; rank 1 owns the bare market id
	Rule      string // names the line of the table, for people
	Dialect   *Dialect
	Shape     Shape
	Condition Condition
	// Labelled is the same definition in the words of labels, for rows with a claim.
	Labelled *Reading
}

// Shape is a set of habits of a provider that change how the same words are read.
type Shape uint16

const (
	// WinnerFirst means a score has the winner's goals first.
	WinnerFirst Shape = 1 << iota
	// DrawHasAwaySign means the draw row of a three-way handicap has the away
	// side's sign.
	DrawHasAwaySign
	// OwnSideLine means a row of a two-way handicap has the line of its own side.
	// Without it, and without DrawHasAwaySign, every row has the line of the home side.
	OwnSideLine
	// UnsignedIsPlus means a handicap without a sign is positive, as a number in
	// JSON is.
	UnsignedIsPlus
	// SignByPrices means the signs of a handicap are proven by its prices. Its rows have
	// either the home side's line on every side, or the away side's own line on its row
	// and on that of a draw.
	SignByPrices
	// RepeatedTexts means one text in two labels of a row is one statement.
	RepeatedTexts
	// EachSaysAll means every label of a row says the whole selection.
	EachSaysAll
	// NamedWinnerFirst means a score beside its winner has the winner's goals
	// first, and a score alone has the home side's first.
	NamedWinnerFirst
	// SideMeansYes means a row that names a side, and nothing more, is yes for it.
	SideMeansYes
	// BareLineIsOver means a line without a word is one to go over.
	BareLineIsOver
	// NamedSides means a score names both sides, and a score alone does not say whose goals
	// come first.
	NamedSides
)

// Condition is a test that the rows must pass for the reading to hold.
type Condition string

const (
	NoCondition    Condition = ""
	NeedsExactly   Condition = "EXACTLY"        // a row must say Exactly
	NeedsBands     Condition = "BANDS"          // every row must be a band
	NeedsHalves    Condition = "HALVES"         // every row names a side and a half: one market for each half and side
	NeedsSentence  Condition = "TEAM_SENTENCE"  // every row is a sentence that names a side
	NeedsScorers   Condition = "SCORER_COLUMNS" // every row says first, last or anytime
	NeedsGoals     Condition = "GOALS_NAMED"    // every row must say Goals: the name alone does not name the thing counted
	NeedsSigns     Condition = "SIGNS"          // with SignByPrices: the prices must prove the vocabulary's own signs, not others
	NeedsScoreDraw Condition = "SCORE_DRAW"     // a row must say Score Draw: only beside it is another draw the one without goals
)
