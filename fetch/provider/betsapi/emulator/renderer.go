package emulator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

// Oddities of the markets. Each applies to some fixtures, or to some markets of a
// fixture, whenever they are asked for.
const (
	oddNoResult = iota + 201
	oddSideWords
	oddDropped
	oddCollapsed
	oddNeverFilled
	oddHalfCollapsed
	oddOldTab
	oddOldBlock
	oddSecond
	oddTwinNames
	oddEmptySection
	oddScheduleIDs
	oddRowPrice
	oddRowID
	oddNudge
	oddTeamTable
	oddUnknownResultField
	oddKeyPath
	oddEvery
	oddNoMarkets
)

// renderer renders one fixture's markets at one version of the prices. It is used
// once.
type renderer struct {
	world   *simulator.World
	fixture simulator.Fixture
	sheet   *simulator.Sheet
	since   time.Time
	edition int
	pair    teamPair
	// namesake is the name that a player of each side has, "" on most fixtures.
	namesake string
	offers   []offered
	b        []byte
	rows     []laid
	laid     []laid
}

// offered is a market of this fixture, and how it is loaded.
type offered struct {
	index int // in the catalogue
	state loadState
}

// loadState is where the prices of a market are.
type loadState uint8

const (
	loaded   loadState = iota // in its tabs
	filled                    // its tabs hold empty shells, others[] the prices
	unfilled                  // empty shells only: not offered with prices
)

func newRenderer(w *simulator.World, f simulator.Fixture, version int64, since time.Time, edition int) *renderer {
	s := &renderer{world: w, fixture: f, sheet: w.Sheet(f, version, since), since: since, edition: edition, pair: newPair(f)}
	if f.Namesake() {
		s.namesake = f.Home.Players[1]
	}
	for i := range catalogue {
		if s.has(i) {
			s.offers = append(s.offers, offered{i, s.load(i)})
		}
	}
	return s
}

// has reports whether this fixture has a market. That depends on the tier of its
// league; a few are left out everywhere.
func (s *renderer) has(i int) bool {
	g := &catalogue[i]
	lot := uint64(i)
	switch {
	case s.fixture.Lot(60, oddNoMarkets) == 0:
		return false
	case g.tier < s.fixture.League.Tier:
		return false
	case g.every == 2 || g.every == -2: // one or the other way of selling it
		return (s.fixture.Lot(2, oddEvery) == 0) == (g.every > 0)
	case g.every > 2:
		return s.fixture.Lot(g.every, oddEvery, lot) == 0
	case g.id == "40" && g.key == "full_time_result":
		return true
	}
	return s.fixture.Lot(16, oddDropped, lot) != 0
}

// load returns where the prices of a market are. Most of the plain ones are loaded.
func (s *renderer) load(i int) loadState {
	lot, one := uint64(i), 3
	if catalogue[i].tier == 3 {
		one = 9
	}
	switch {
	case s.fixture.Lot(one, oddCollapsed, lot) != 0:
		return loaded
	case s.fixture.Lot(4, oddNeverFilled, lot) == 0:
		return unfilled
	default:
		return filled
	}
}

// copyOf is one place with the rows of a market: a tab or a block of others.
type copyOf struct {
	section string // the v3 name
	at      time.Time
	old     bool // taken a little earlier: some prices differ
}

// tab returns the copy of a section. One section of every third fixture is
// older than the rest.
func (s *renderer) tab(section string) copyOf {
	i := slices.Index(tabs, section)
	c := copyOf{section: section, at: s.since.Add(time.Duration(s.fixture.Lot(50, oddSecond, uint64(i))) * time.Second)}
	if s.fixture.Lot(3*len(tabs), oddOldTab) == i {
		c.at, c.old = c.at.Add(-5*time.Minute), true
	}
	return c
}

// block returns the copy of a market in others.
func (s *renderer) block(index int) copyOf {
	lot := uint64(index)
	c := copyOf{section: "others", at: s.since.Add(time.Duration(s.fixture.Lot(50, oddSecond, lot, 1)) * time.Second)}
	if s.fixture.Lot(5, oddOldBlock, lot) == 0 {
		c.at, c.old = c.at.Add(-5*time.Minute), true
	}
	return c
}

// tabs are the sections with markets, in the order sent; v4 names some of them
// otherwise (betsapi.md, section 6.1).
var tabs = []string{"asian_lines", "cards", "corners", "goals", "half", "main", "minutes", "player", "specials"}

var tabsV4 = map[string]string{"cards": "cards_fouls", "player": "player_stats", "specials": "other"}

func (s *renderer) tabName(section string) string {
	if name, ok := tabsV4[section]; ok && s.edition == 4 {
		return name
	}
	return section
}

// laid is one row ready to be written.
type laid struct {
	labels
	id, price string
	isLabel   bool
	unclear   bool // what is sent does not prove its meaning
	ref       int  // in the market's refs
	sold      simulator.Selection
}

// lay returns a market's rows as one copy shows them. The result is valid
// until the next call.
func (s *renderer) lay(i int, c copyOf) []laid {
	g := &catalogue[i]
	s.rows = s.rows[:0]
	for ri, r := range g.refs {
		for _, sel := range s.sheet.Market(r).Selections {
			s.rows = append(s.rows, s.row(i, ri, sel, c))
		}
	}
	switch g.form {
	case byHeader:
		slices.SortStableFunc(s.rows, func(a, b laid) int { return s.column(a) - s.column(b) })
	case labelled:
		return s.table(s.rows)
	case teamTable:
		return s.teamTable(s.rows)
	}
	return s.rows
}

// row puts one selection into words.
func (s *renderer) row(i, ri int, sel simulator.Selection, c copyOf) laid {
	g := &catalogue[i]
	s.pair.used = 0
	l := laid{ref: ri, sold: sel, labels: g.spell(&s.pair, g.refs[ri], sel), price: sel.Price}
	l.unclear = s.pair.used&s.pair.unknown != 0 || g.key == "winning_margin" && l.header == "" || sel.Outcome == simulator.AnyOtherPlayer ||
		sel.Player != "" && (sel.Player == s.namesake || s.pair.nameless()) // without both teams' names, a team cannot be told from a player
	h := rowHash(s.fixture, uint64(i), uint64(ri), sel)
	l.id = strconv.FormatUint(1_000_000_000+h%8_999_999_999, 10)
	switch {
	case h>>8%700 == 0:
		l.price, l.unclear = "", true
	case h>>8%900 == 1 && g.form == asIs:
		l.id = ""
	}
	if c.old && l.price != "" && h>>16%3 == 0 {
		l.price = simulator.Beside(l.price, h>>20&1 == 0)
	}
	return l
}

// column orders rows of a market that is sent column by column.
func (s *renderer) column(l laid) int {
	switch l.header {
	case "1", "Over":
		return 0
	case "Tie", "Exactly":
		return 1
	default:
		return 2
	}
}

// rowSeed is fixed: ids must be the same in every process.
const rowSeed = 0x51ed270b

// rowHash identifies a selection whatever its price is.
func rowHash(f simulator.Fixture, index, ref uint64, sel simulator.Selection) uint64 {
	h := uint64(f.Number)*0x9e3779b97f4a7c15 ^ index<<32 ^ ref<<48 ^ rowSeed
	for _, text := range [...]string{sel.Outcome, sel.Line, sel.Side, sel.Player, sel.Qualifier} {
		for i := 0; i < len(text); i++ {
			h = (h ^ uint64(text[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// table turns rows into label rows and columns without names (betsapi.md,
// section 6.6). Every label has a row in every column.
func (s *renderer) table(rows []laid) []laid {
	s.laid = s.laid[:0]
	first := rows[:0:0]
	for _, l := range rows {
		if l.header == rows[0].header {
			first = append(first, l)
		}
	}
	for _, l := range first {
		s.laid = append(s.laid, laid{id: "PC" + l.id, isLabel: true, labels: labels{name: l.name}})
	}
	for _, l := range rows {
		l.name = ""
		s.laid = append(s.laid, l)
	}
	return s.laid
}

// teamTable sends the labels of both teams and the prices of one, as recorded.
func (s *renderer) teamTable(rows []laid) []laid {
	s.laid = s.laid[:0]
	kept := [...]string{"HOME", "AWAY"}[s.fixture.Lot(2, oddTeamTable)]
	for _, l := range rows {
		name, _, _ := strings.Cut(l.name, " (")
		s.laid = append(s.laid, laid{id: "PC" + l.id, isLabel: true, labels: labels{name: name, header: sideNumber(l.sold.Side, ""), team: "Odds"}})
	}
	for _, l := range rows {
		if l.sold.Side == kept {
			l.name, l.header, l.team = "", "Odds", "Odds"
			s.laid = append(s.laid, l)
		}
	}
	return s.laid
}
