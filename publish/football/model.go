package football

import (
	"strings"
	"time"
)

// FixtureID is an opaque, stable fixture id: "fx_" and 26 characters of
// lower-case base32 (specification, section 2.1).
type FixtureID string

// MarketID is an opaque market id: "mk_" and 26 characters, followed by "~" and a short
// suffix if the market shares its canonical definition with a higher-ranked one. Unique
// within a fixture.
type MarketID string

// SelectionID is an opaque selection id: "sl_" and 26 characters. Unique within
// a market.
type SelectionID string

// Product is one of the two products an account can subscribe to.
type Product string

const (
	MarketEngine     Product = "market_engine"
	LiveIntelligence Product = "live_intelligence"
)

// Products returns the products, in the contract's order.
func Products() []Product { return []Product{MarketEngine, LiveIntelligence} }

// Fixture is one match of association football.
type Fixture struct {
	ID                FixtureID
	Home, Away        Field[string]
	League            Field[string]
	StartsAt          Field[time.Time] // kick-off, UTC, whole seconds
	Provider          string           // adapter name, such as "betsapi"
	ProviderFixtureID string           // as the provider writes it
	FetchedAt         time.Time        // newest retrieval from which the fixture was read, UTC, milliseconds
}

// Clone returns a copy with texts of its own. Texts as read can be parts of a payload, and keep
// all of it in memory.
func (f *Fixture) Clone() Fixture {
	c := *f
	c.ID, c.ProviderFixtureID = FixtureID(strings.Clone(string(f.ID))), strings.Clone(f.ProviderFixtureID)
	for _, text := range []*Field[string]{&c.Home, &c.Away, &c.League} {
		if t, ok := text.Get(); ok {
			*text = Of(strings.Clone(t))
		}
	}
	return c
}

// Origin is the source of a market's identity (specification, section 2.7).
type Origin string

const (
	// Raw: the provider has the market, but no canonical identity is proven.
	Raw Origin = "RAW"
	// Mapped: canonical identity established from a provider payload.
	Mapped Origin = "MAPPED"
	// Derived and Composed are reserved words, never emitted in v1.
	Derived  Origin = "DERIVED"
	Composed Origin = "COMPOSED"
)

// Market is one market of a fixture with all its selections. A RAW market has neither
// Canonical nor Period and keeps the provider's own words.
type Market struct {
	ID         MarketID
	Canonical  string // canonical market name, "" when RAW
	Period     string // canonical period, "" when RAW
	Name       Field[string]
	Sections   []string // the provider's tabs with the market, in the order of the payload
	Lines      []string // distinct reliable lines, in numeric order
	Origin     Origin
	Selections []Selection // in the provider's order

	ProviderMarketIDs []string // sorted, distinct; empty if the provider sent none
	Key               string   // the provider's own key of the market
	Rule              string   // the applied mapping rule, "betsapi/bet365.csv:full_time_result"; "" if RAW
	RawReason         Reason   // why it stayed RAW; "" if MAPPED
	Ordinal           int      // position in the provider's order within the fixture, from 0
}

// Grid is the position of a selection of a two-way product, such as correct score, in its
// table.
type Grid struct{ Row, Column string }

// Selection is one outcome of a market and its price. Strings are "" where the
// contract has null.
type Selection struct {
	ID        SelectionID
	Selection string // canonical outcome, "HOME", "OVER", "2-1"; the provider's words if RAW
	Line      string // canonical line, "2.75", "-0.5"
	Qualifier string // a further distinction: a target, an ordinal, a minute
	Odds      Odds
	Dimension string // the thing counted or compared: GOALS, CORNERS, …
	Subject   string // the team or person: HOME, AWAY, a player's name
	Subject2  string
	Grid      *Grid
	Quality   Quality

	ProviderSelectionID Field[string]
	Labels              []Label // the provider's own words for it, in its field order
	Place               uint32  // position of the row in the payload; 0 unless the reading is traced
}

// Label is one descriptive text field of a provider's row, verbatim.
type Label struct{ Field, Text string }

// Odds are a price exactly as the provider wrote it. There is no setter and no arithmetic, so it
// leaves as it came (specification, section 2.8).
type Odds struct {
	fractional, decimal Field[string]
}

// NewOdds returns odds with the provider's own characters. For a decimal other than a
// [PlainDecimal], give a quality reason instead.
func NewOdds(fractional, decimal Field[string]) Odds {
	return Odds{fractional: fractional, decimal: decimal}
}

// Fractional returns the provider's fractional text, "11/10".
func (o Odds) Fractional() Field[string] { return o.fractional }

// Decimal returns the provider's decimal digits, "1.90".
func (o Odds) Decimal() Field[string] { return o.decimal }

// PlainDecimal reports whether s can be written as a JSON number digit by digit: digits
// without a needless leading zero, and at most one point between digits. No sign, no
// exponent; at most 18 characters.
func PlainDecimal(s string) bool {
	if len(s) == 0 || len(s) > 18 {
		return false
	}
	point := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0 && i > 0 && i < len(s)-1:
			point = i
		default:
			return false
		}
	}
	whole := point
	if whole < 0 {
		whole = len(s)
	}
	return whole == 1 || s[0] != '0'
}
