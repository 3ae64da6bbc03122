package compare

import (
	"encoding/json"
	"strings"

	"mkt/publish/football"
	"mkt/publish/table/diff"
)

// What is a kind of [Change].
type What string

const (
	FixtureAdded     What = "fixture_added"
	FixtureRemoved   What = "fixture_removed"
	FixtureChanged   What = "fixture_changed" // a field of it, see Field
	MarketAdded      What = "market_added"
	MarketRemoved    What = "market_removed"
	MarketChanged    What = "market_changed"
	SelectionAdded   What = "selection_added"
	SelectionRemoved What = "selection_removed"
	SelectionChanged What = "selection_changed"
	OddsMoved        What = "odds_moved"
	Suspended        What = "suspended"
	Resumed          What = "resumed"
	QualityChanged   What = "quality_changed"
	CounterMoved     What = "counter_moved" // live: Field is the metric and the side
)

// Words returns the kind for people.
func (w What) Words() string { return strings.ReplaceAll(string(w), "_", " ") }

// Whats returns every kind.
func Whats() []What {
	return []What{FixtureAdded, FixtureRemoved, FixtureChanged, MarketAdded, MarketRemoved, MarketChanged, SelectionAdded, SelectionRemoved, SelectionChanged,
		OddsMoved, Suspended, Resumed, QualityChanged, CounterMoved}
}

// Change is one difference, with its fixture, market and selection. Names are those of B, or of A
// if B has none.
type Change struct {
	What      What   `json:"change"`
	FixtureID string `json:"fixture_id"`
	Fixture   string `json:"fixture"` // home - away
	Home      string `json:"home,omitempty"`
	Away      string `json:"away,omitempty"`
	League    string `json:"league,omitempty"`

	MarketID    string `json:"market_id,omitempty"`
	Market      string `json:"market,omitempty"` // canonical, or the provider's if it is RAW
	Period      string `json:"period,omitempty"`
	SelectionID string `json:"selection_id,omitempty"`
	Selection   string `json:"selection,omitempty"`
	Line        string `json:"line,omitempty"`
	LineOf      string `json:"line_of,omitempty"` // the side with the handicap
	Qualifier   string `json:"qualifier,omitempty"`
	Subject     string `json:"subject,omitempty"` // HOME, AWAY or a player
	Subject2    string `json:"subject_2,omitempty"`

	Field string `json:"field,omitempty"`
	// Old and New are left out if the field was not sent, and null if it was sent without a value.
	Old Value `json:"old,omitzero"`
	New Value `json:"new,omitzero"`
	// Percent is how far odds moved, relative to the old ones; nil if either is not a
	// number.
	Percent *float64 `json:"percent,omitempty"`

	// Explain is the argument for mkt explain, at a snapshot with its id.
	Explain string `json:"explain"`
}

// Value is a value, null if the provider sent the field without one, missing if it did not send it.
type Value struct{ football.Field[string] }

func valueOf(s string) Value { return Value{football.Of(s)} }

func column[T any](row *T, name string) Value { return Value{diff.Text(row, name)} }

// IsZero reports whether nothing was sent.
func (v Value) IsZero() bool { return v.State() == football.Missing }

// String returns the value for people.
func (v Value) String() string {
	if v.State() == football.Null {
		return "(null)"
	}
	return v.Or("(not sent)")
}

// MarshalJSON writes null or a text.
func (v Value) MarshalJSON() ([]byte, error) {
	text, sent := v.Get()
	if !sent {
		return []byte("null"), nil
	}
	return json.Marshal(text)
}
