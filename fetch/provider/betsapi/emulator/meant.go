package emulator

import (
	"slices"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

// MeantFixture is one fixture of the listing as the simulator meant it.
type MeantFixture struct {
	ID                 string // FI
	Home, Away, League string // the true names; the listing may leave one out or write it otherwise
	KickOff            time.Time
	Human              bool // football played by people
	Over               bool // ended, postponed, cancelled or withdrawn
}

// MeantMarket is one market with prices as the simulator meant it, in the
// canonical vocabulary: what a pipeline should find in the payload, or show that
// it cannot.
type MeantMarket struct {
	Key, ID, Name string   // the bookmaker's
	Sections      []string // every section it is met in, in the payload's order, v3 names
	Proof         Proof
	Rows          []MeantRow // without label rows
}

// Proof says what a payload tells about a market.
type Proof uint8

const (
	Proven    Proof = iota // its meaning can be proven
	MayBeRaw               // its meaning is so, a careful reader may well leave it RAW
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
	// Doubtful rows need not be provable from what is sent: no price, a name that
	// the listing does not give, a margin without a header, a name borne by a
	// player of each side.
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
// of first appearance; nil when the simulator has nothing on it. Markets without
// prices anywhere are not in it.
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
	seller := newSeller(w, f, v, since, 3)
	var all []MeantMarket
	for _, st := range seller.stalls {
		if st.state != unfilled {
			all = append(all, seller.meant(st))
		}
	}
	return all
}

// meant states a market by its newest copy.
func (s *seller) meant(st stall) MeantMarket {
	g := &catalogue[st.good]
	newest := s.block(st.good)
	if st.state == loaded {
		newest = s.newestTab(st.good)
	}
	m := MeantMarket{Key: g.key, ID: g.id, Name: g.name, Proof: g.proof, Sections: slices.Clone(g.tabs)}
	if st.state == filled {
		m.Sections = append(m.Sections, newest.section)
	}
	slices.SortFunc(m.Sections, func(a, b string) int { return strings.Compare(a, b) })
	for _, l := range s.lay(st.good, newest) {
		if !l.isLabel {
			m.Rows = append(m.Rows, meantRow(g, l))
		}
	}
	return m
}

func (s *seller) newestTab(good int) copyOf {
	var newest copyOf
	for at, section := range catalogue[good].tabs {
		if c := s.tab(section); !s.shell(good, at) && c.at.After(newest.at) {
			newest = c
		}
	}
	return newest
}

func meantRow(g *good, l laid) MeantRow {
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
