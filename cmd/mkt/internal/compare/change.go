package compare

import (
	"encoding/json"
	"slices"
	"strings"
)

// What kind of change.
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

// Words is the kind for people.
func (w What) Words() string { return strings.ReplaceAll(string(w), "_", " ") }

// Whats lists every kind.
func Whats() []What {
	return []What{FixtureAdded, FixtureRemoved, FixtureChanged, MarketAdded, MarketRemoved, MarketChanged, SelectionAdded, SelectionRemoved, SelectionChanged,
		OddsMoved, Suspended, Resumed, QualityChanged, CounterMoved}
}

// Change is one difference, with what it takes to know of what. Names are those of
// B, or of A where B has none.
type Change struct {
	What      What   `json:"change"`
	FixtureID string `json:"fixture_id"`
	Fixture   string `json:"fixture"` // home - away
	Home      string `json:"home,omitempty"`
	Away      string `json:"away,omitempty"`
	League    string `json:"league,omitempty"`

	MarketID    string `json:"market_id,omitempty"`
	Market      string `json:"market,omitempty"` // canonical, or the provider's where there is none
	Period      string `json:"period,omitempty"`
	SelectionID string `json:"selection_id,omitempty"`
	Selection   string `json:"selection,omitempty"`
	Line        string `json:"line,omitempty"`
	LineOf      string `json:"line_of,omitempty"` // the side that a handicap is given to
	Qualifier   string `json:"qualifier,omitempty"`
	Subject     string `json:"subject,omitempty"` // HOME, AWAY or a player
	Subject2    string `json:"subject_2,omitempty"`

	Field string `json:"field,omitempty"`
	// Old and New are left out where there is none, and null where the provider
	// sent no value.
	Old Value `json:"old,omitzero"`
	New Value `json:"new,omitzero"`
	// Percent is how far odds moved, of the old; nil where one is no number.
	Percent *float64 `json:"percent,omitempty"`

	// Explain is what mkt explain takes, as of the snapshot that has it.
	Explain string `json:"explain"`
}

// Value is a value, none because none was sent, or none because nothing was sent.
type Value struct {
	state state
	text  string
}

type state byte

const (
	absent state = iota
	null
	present
)

func valueOf(s string) Value { return Value{present, s} }

// column is a nullable column of a row that lists what was not sent.
func column(v *string, name string, notSent []string) Value {
	switch {
	case v != nil:
		return valueOf(*v)
	case slices.Contains(notSent, name):
		return Value{}
	}
	return Value{state: null}
}

// IsZero tells that nothing was sent.
func (v Value) IsZero() bool { return v.state == absent }

// Text is the value; false when there is none.
func (v Value) Text() (string, bool) { return v.text, v.state == present }

// String is the value for people.
func (v Value) String() string {
	switch v.state {
	case absent:
		return "(not sent)"
	case null:
		return "(null)"
	}
	return v.text
}

// MarshalJSON writes null or a text.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(v.text)
}
