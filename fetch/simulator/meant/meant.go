// Package meant states the meaning of an emulator's answers, for tests of their parsers.
package meant

import (
	"time"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/world"
)

// Dialect is implemented by a dialect that renders a world. It returns the meaning of the
// dialect's answers, for tests of their parsers.
type Dialect interface {
	// FixtureID returns the id of a fixture in the list of fixtures.
	FixtureID(w *world.World, f competition.Fixture) string
	// FixtureNumber returns the number of the fixture with an id; false for an id that
	// no fixture of the world can have.
	FixtureNumber(w *world.World, id string) (int64, bool)
	// Markets returns the meaning of the markets offered on a fixture, in the order in
	// which they first appear in the payload; nil if the dialect does not have the fixture.
	// Markets without any prices are left out.
	Markets(w *world.World, o *bookmaker.Offering) []Market
	// Playing returns the meaning of the records of a match in play.
	Playing(w *world.World, m feed.Match) Match
}

// Lister is implemented by a dialect whose list of fixtures is not that of the world.
type Lister interface {
	// Listed returns the fixtures that the dialect lists, in its order.
	Listed(w *world.World, now time.Time) []competition.Fixture
}

// Fixture is the meaning of one fixture of the list.
type Fixture struct {
	ID                 string // the provider's
	Home, Away, League string // the true names; the list may leave one out or write it in another form
	KickOff            time.Time
	Human              bool // football played by people
	Over               bool // ended, postponed, cancelled or withdrawn
}

// Market is the meaning of one market with prices, in the canonical vocabulary: a
// pipeline must find this in the payload, or leave the market RAW.
type Market struct {
	Key, ID, Name string   // the bookmaker's
	Sections      []string // every section that has it, in the payload's order
	Proof         Proof
	Rows          []Row // without label rows
}

// Proof is how far a payload proves the meaning of a market.
type Proof uint8

const (
	Proven    Proof = iota // its meaning can be proven
	MayBeRaw               // its meaning is known, but a careful reader may leave it RAW
	MustBeRaw              // its meaning is not in the payload
)

// Row is one price. The strings follow the service's model: a player's name is the
// subject and, if the player is the outcome, also the selection; a goalscorer with a
// score is "name&2-1".
type Row struct {
	ID                                        string // the row's, "" on a few; the text of a row if the provider has no ids of rows
	Decimal                                   string // of the newest copy; "" on a few
	Market, Period                            string // "" if the market must be RAW
	Selection, Line, Qualifier, Subject, Side string
	// Doubtful means a reader need not understand the row. It has no price, a name
	// missing from the list, a margin without a header, the name of a player on each side,
	// a handicap without a price of another side to confirm it, or a line of a three-way
	// total without Exactly.
	Doubtful bool
	Stopped  bool // the payload says that it is not on offer now
}

// Match is the meaning of the records of one match in play: its ids, and in Match all
// true events and all reports of the feed, second by second.
//
//	sent := m.Sent(now)                                   // the content of an answer at now
//	n, state := sent.Value(play.Corners, play.Home)
//	for _, minute := range m.Minutes() { … }              // the true events
type Match struct {
	ID, EventID string // of the fixture, and of the live record
	// Missing from the records of this match: the fixture's id, the clock, the
	// timeline.
	WithoutID, WithoutTimer, WithoutTimeline bool
	// WithoutAttacks means neither attacks nor dangerous attacks are ever sent, and
	// CountersLag is the greatest age of published counters.
	WithoutAttacks bool
	CountersLag    time.Duration
	feed.Match
}
