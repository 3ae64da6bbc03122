package emulator

import (
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

// Oddities of the markets. Each applies to some fixtures, or to some markets of a
// fixture, whenever they are asked for.
const (
	oddSideWords          = 202
	oddHalfCollapsed      = 206
	oddTwinNames          = 210
	oddEmptySection       = 211
	oddScheduleIDs        = 212
	oddTeamTable          = 216
	oddUnknownResultField = 217
)

// renderer renders one fixture's markets at one version of the prices. It is used
// once.
type renderer struct {
	world   *world.World
	fixture competition.Fixture
	*bookmaker.Offering
	pair teamPair
	// namesake is the name that a player of each side has, "" on most fixtures.
	namesake string
	offers   []offered
	b        []byte
}

// offered is a market of this fixture. A loaded one has its prices in its tabs. Those
// of a collapsed one are in others[], and its tabs hold empty shells.
type offered struct {
	index int // in the catalogue
	stock bookmaker.Stock
}

func newRenderer(w *world.World, o *bookmaker.Offering) *renderer {
	s := &renderer{world: w, fixture: o.Fixture, Offering: o, pair: newPair(o.Fixture)}
	if s.fixture.Namesake() {
		s.namesake = s.fixture.Home.Players[1]
	}
	for i := range catalogue {
		if stock := o.Stock(catalogue[i].of); stock != bookmaker.NotOffered {
			s.offers = append(s.offers, offered{i, stock})
		}
	}
	return s
}

// tab returns the copies in a section.
func (s *renderer) tab(section string) bookmaker.Copy {
	return s.PartCopy(slices.Index(tabs, section), len(tabs))
}

// tabs are the sections with markets, in the order sent (betsapi.md, section 6.1).
var tabs = []string{"asian_lines", "cards_fouls", "corners", "goals", "half", "main", "minutes", "player_stats", "other"}

// row is one row ready to be written.
type row struct {
	labels
	id, price string
	isLabel   bool
	unclear   bool // its meaning is not proven by the payload
	sold      bookmaker.Priced
}

// rows returns a market's rows as one copy shows them.
func (s *renderer) rows(i int, c bookmaker.Copy) []row {
	g := &catalogue[i]
	var rows []row
	for _, p := range s.Prices(g.of, c) {
		rows = append(rows, s.row(g, p))
	}
	switch g.form {
	case byHeader:
		slices.SortStableFunc(rows, func(a, b row) int { return column(a) - column(b) })
	case labelled:
		return table(rows)
	case teamTable:
		return s.teamTable(rows)
	}
	return rows
}

// row puts one selection into words.
func (s *renderer) row(g *market, p bookmaker.Priced) row {
	s.pair.used = 0
	r := row{sold: p, labels: g.spell.of(&s.pair, g.of.Refs()[p.Ref], p.Selection), price: p.Price}
	r.unclear = s.pair.used&s.pair.unknown != 0 || g.key == "winning_margin" && r.header == "" || p.Outcome == bookmaker.AnyOtherPlayer ||
		p.Player != "" && (p.Player == s.namesake || s.pair.nameless()) || // without both teams' names, a team and a player look alike
		p.Price == ""
	if p.Price == "" || p.Hash>>8%900 != 1 || g.form != asIs {
		r.id = rowID(p.Hash)
	}
	return r
}

func rowID(hash uint64) string { return strconv.FormatUint(1_000_000_000+hash%8_999_999_999, 10) }

// column orders rows of a market that is sent column by column.
func column(r row) int {
	switch r.header {
	case "1", "Over":
		return 0
	case "Tie", "Exactly":
		return 1
	default:
		return 2
	}
}

// table turns rows into label rows and columns without names (betsapi.md,
// section 6.6). Every label has a row in every column.
func table(rows []row) []row {
	var all []row
	for _, r := range rows {
		if r.header == rows[0].header {
			all = append(all, row{id: "PC" + r.id, isLabel: true, labels: labels{name: r.name}})
		}
	}
	for _, r := range rows {
		r.name = ""
		all = append(all, r)
	}
	return all
}

// teamTable returns the labels of both teams and the prices of one, as recorded.
func (s *renderer) teamTable(rows []row) []row {
	var all []row
	kept := [...]string{"HOME", "AWAY"}[s.fixture.Lot(2, oddTeamTable)]
	for _, r := range rows {
		name, _, _ := strings.Cut(r.name, " (")
		all = append(all, row{id: "PC" + r.id, isLabel: true, labels: labels{name: name, header: map[string]string{"HOME": "1", "AWAY": "2"}[r.sold.Side], team: "Odds"}})
	}
	for _, r := range rows {
		if r.sold.Side == kept {
			r.name, r.header, r.team = "", "Odds", "Odds"
			all = append(all, r)
		}
	}
	return all
}
