package simulator

import "time"

// Meaning is implemented by a dialect that renders a world. It says what the
// dialect's answers mean, so that a reader of them can be tested.
type Meaning interface {
	// FixtureID returns the id of a fixture in the list of fixtures.
	FixtureID(w *World, f Fixture) string
	// FixtureNumber returns the number of the fixture with an id; false for an id that
	// no fixture of the world can have.
	FixtureNumber(w *World, id string) (int64, bool)
	// Markets returns what the markets of a fixture mean, in the order in which they
	// first appear in the payload; nil if the dialect returns nothing for the id.
	// Markets without any prices are not in it.
	Markets(w *World, id string, now time.Time) []MeantMarket
	// Playing returns what the records of a match in play mean.
	Playing(w *World, m Match) MeantMatch
}

// MeantFixture is what one fixture of the list means.
type MeantFixture struct {
	ID                 string // the provider's
	Home, Away, League string // the true names; the list may leave one out or write it in another form
	KickOff            time.Time
	Human              bool // football played by people
	Over               bool // ended, postponed, cancelled or withdrawn
}

// MeantMarket is what one market with prices means, in the canonical vocabulary:
// a pipeline should find it in the payload, or show that it cannot.
type MeantMarket struct {
	Key, ID, Name string   // the bookmaker's
	Sections      []string // every section that has it, in the payload's order
	Proof         Proof
	Rows          []MeantRow // without label rows
}

// Proof says what a payload proves about a market.
type Proof uint8

const (
	Proven    Proof = iota // its meaning can be proven
	MayBeRaw               // its meaning is known, but a careful reader may leave it RAW
	MustBeRaw              // nobody can know what it means
)

// MeantRow is one price. The strings follow the service's model: a player's
// name is the subject and, if the player is the outcome, the selection; a
// goalscorer with a score is "name&2-1".
type MeantRow struct {
	ID                                        string // the row's, "" on a few
	Decimal                                   string // of the newest copy; "" on a few
	Market, Period                            string // "" if the market must be RAW
	Selection, Line, Qualifier, Subject, Side string
	// Doubtful means that the row need not be provable from what is sent: it has no
	// price, a name that the list does not have, a margin without a header, or the
	// name of a player on each side.
	Doubtful bool
	Stopped  bool // the payload says that it is not on offer now
}

// Row returns what a selection of a market means.
func (r Ref) Row(sel Selection) MeantRow {
	m := MeantRow{Market: r.Market, Period: r.Period, Side: sel.Side + r.Side,
		Selection: sel.Outcome, Line: sel.Line, Qualifier: sel.Qualifier, Subject: sel.Player}
	if m.Qualifier == "" {
		m.Qualifier = r.Parameter
	}
	switch {
	case sel.Player == "":
	case sel.Outcome == "YES":
		m.Selection = sel.Player
	case sel.Outcome != "OVER" && sel.Outcome != "UNDER":
		m.Selection = sel.Player + "&" + sel.Outcome
	}
	return m
}

// MeantMatch is what the records of one match in play mean: its ids, and with
// Match all that truly happens in it and all that is sent, second by second.
//
//	sent := m.Sent(now)                                   // what an answer at now holds
//	n, state := sent.Value(simulator.Corners, simulator.Home)
//	for _, minute := range m.Minutes() { … }              // what truly happened
type MeantMatch struct {
	ID, EventID string // of the fixture, and of the live record
	// What the records of this match do not have: the fixture's id, the clock, the
	// timeline.
	WithoutID, WithoutTimer, WithoutTimeline bool
	Match
}

// meaning returns the world of a token, and what the dialect means by it; not ok
// for an unknown token and over recordings.
func (s *Server) meaning(token string) (w *World, d Meaning, ok bool) {
	w = s.World(token)
	d, ok = s.dialect.(Meaning)
	return w, d, ok && w != nil
}

// Listed returns what the list of fixtures of a token's world means now, in its
// order; nil for an unknown token and over recordings.
func (s *Server) Listed(token string) []MeantFixture {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	var all []MeantFixture
	for _, f := range w.Fixtures(s.Now().Truncate(time.Minute)) {
		all = append(all, MeantFixture{
			ID: d.FixtureID(w, f), Home: f.Home.Name, Away: f.Away.Name, League: f.League.Name,
			KickOff: f.KickOff, Human: f.League.Human(), Over: f.Status > InPlay,
		})
	}
	return all
}

// Meant returns what the markets of a fixture mean now, see Meaning.Markets.
func (s *Server) Meant(token, fixture string) []MeantMarket {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	return d.Markets(w, fixture, s.Now())
}

// InPlay returns what the list of matches in play of a token's world means now, in
// its order; nil for an unknown token and over recordings.
func (s *Server) InPlay(token string) []MeantMatch {
	w, d, ok := s.meaning(token)
	if !ok {
		return nil
	}
	var all []MeantMatch
	for _, m := range w.Live(s.Now()) {
		all = append(all, d.Playing(w, m))
	}
	return all
}

// Match returns the match of a fixture before, during and up to a day after it;
// false if the fixture is not known.
func (s *Server) Match(token, fixture string) (MeantMatch, bool) {
	w, d, ok := s.meaning(token)
	if !ok {
		return MeantMatch{}, false
	}
	n, ok := d.FixtureNumber(w, fixture)
	if !ok {
		return MeantMatch{}, false
	}
	f, ok := w.Fixture(n, s.Now())
	if !ok {
		return MeantMatch{}, false
	}
	return d.Playing(w, w.Match(f)), true
}
