package emulator

import (
	"slices"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

// MeantFixture is what one fixture of the listing means.
type MeantFixture struct {
	ID                 string // FI
	Home, Away, League string // the true names; the listing may leave one out or write it otherwise
	KickOff            time.Time
	Human              bool // football played by people
	Over               bool // ended, postponed, cancelled or withdrawn
}

// MeantMarket is what one market with prices means, in the canonical vocabulary:
// a pipeline should find it in the payload, or show that it cannot.
type MeantMarket struct {
	Key, ID, Name string   // the bookmaker's
	Sections      []string // every section it is met in, in the payload's order, v3 names
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
// name is the subject and, where the player himself is the outcome, the
// selection; a goalscorer with a score is "name&2-1".
type MeantRow struct {
	ID                                        string // the row's, "" on a few
	Decimal                                   string // of the newest copy; "" on a few
	Market, Period                            string // "" where MustBeRaw
	Selection, Line, Qualifier, Subject, Side string
	// Doubtful means that the row need not be provable from what is sent: it has no
	// price, a name that the listing does not have, a margin without a header, or
	// the name of a player on each side.
	Doubtful bool
}

// Listed returns what the listing of a token's world means now, in its order;
// nil for an unknown token and over recordings.
func (e *Emulator) Listed(token string) []MeantFixture {
	w := e.World(token)
	if w == nil || e.replayed {
		return nil
	}
	var all []MeantFixture
	for _, f := range w.Fixtures(e.Now().Truncate(time.Minute)) {
		all = append(all, MeantFixture{
			ID: fixtureID(w, f), Home: f.Home.Name, Away: f.Away.Name, League: f.League.Name,
			KickOff: f.KickOff, Human: f.League.Human(), Over: f.Status > simulator.InPlay,
		})
	}
	return all
}

// Meant returns what the markets of a fixture mean now, in the payload's order
// of first appearance; nil if the emulator has nothing on it. Markets without any
// prices are not in it.
func (e *Emulator) Meant(token, fixture string) []MeantMarket {
	w := e.World(token)
	if w == nil || e.replayed {
		return nil
	}
	now := e.Now()
	f, ok := knownFixture(w, fixture, now)
	if !ok {
		return nil
	}
	v, since := pricesAt(w, f, now)
	r := newRenderer(w, f, v, since, 3)
	var all []MeantMarket
	for _, m := range r.offers {
		if m.state != unfilled {
			all = append(all, r.meant(m))
		}
	}
	return all
}

// meant returns what the newest copy of a market means.
func (s *renderer) meant(o offered) MeantMarket {
	g := &catalogue[o.index]
	newest := s.block(o.index)
	if o.state == loaded {
		newest = s.newestTab(o.index)
	}
	m := MeantMarket{Key: g.key, ID: g.id, Name: g.name, Proof: g.proof, Sections: slices.Clone(g.tabs)}
	if o.state == filled {
		m.Sections = append(m.Sections, newest.section)
	}
	slices.SortFunc(m.Sections, func(a, b string) int { return strings.Compare(a, b) })
	for _, l := range s.lay(o.index, newest) {
		if !l.isLabel {
			m.Rows = append(m.Rows, meantRow(g, l))
		}
	}
	return m
}

func (s *renderer) newestTab(index int) copyOf {
	var newest copyOf
	for at, section := range catalogue[index].tabs {
		if c := s.tab(section); !s.shell(index, at) && c.at.After(newest.at) {
			newest = c
		}
	}
	return newest
}

func meantRow(g *market, l laid) MeantRow {
	r, sel := g.refs[l.ref], l.sold
	m := MeantRow{ID: l.id, Decimal: l.price, Doubtful: l.unclear, Side: sel.Side + r.Side}
	if g.proof == MustBeRaw {
		return m
	}
	m.Market, m.Period = r.Market, r.Period
	m.Selection, m.Line, m.Qualifier, m.Subject = sel.Outcome, sel.Line, sel.Qualifier, sel.Player
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
