package emulator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

// Oddities of the markets, each the lot of some fixtures or of some markets of
// a fixture, for good.
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

// seller renders one fixture's markets at one state of the prices. It is used
// once.
type seller struct {
	world   *simulator.World
	fixture simulator.Fixture
	sheet   *simulator.Sheet
	since   time.Time
	edition int
	pair    teamPair
	// namesake is the name that a player of each side bears, "" on most fixtures.
	namesake string
	stalls   []stall
	b        []byte
	rows     []laid
	laid     []laid
}

// stall is one market of this fixture: how it is loaded.
type stall struct {
	good  int // in the catalogue
	state stallState
}

// stallState says where a market's prices are.
type stallState uint8

const (
	loaded   stallState = iota // in its tabs
	filled                     // its tabs hold empty shells, others[] the prices
	unfilled                   // empty shells only: not offered with prices
)

func newSeller(w *simulator.World, f simulator.Fixture, version int64, since time.Time, edition int) *seller {
	s := &seller{world: w, fixture: f, sheet: w.Sheet(f, version, since), since: since, edition: edition, pair: newPair(f)}
	if f.Namesake() {
		s.namesake = f.Home.Players[1]
	}
	for i := range catalogue {
		if s.offers(i) {
			s.stalls = append(s.stalls, stall{i, s.load(i)})
		}
	}
	return s
}

// offers reports whether this fixture has a market: by its league's tier, a few
// left out everywhere.
func (s *seller) offers(i int) bool {
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

// load says where the prices of a market are. The plain ones are mostly loaded.
func (s *seller) load(i int) stallState {
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

// copyOf is one place where a market's rows stand: a tab or a block of others.
type copyOf struct {
	section string // the v3 name
	at      time.Time
	old     bool // taken a little earlier: some prices differ
}

// tab returns the copy of a section. One section of every third fixture is
// older than the rest.
func (s *seller) tab(section string) copyOf {
	i := slices.Index(sellTabs, section)
	c := copyOf{section: section, at: s.since.Add(time.Duration(s.fixture.Lot(50, oddSecond, uint64(i))) * time.Second)}
	if s.fixture.Lot(3*len(sellTabs), oddOldTab) == i {
		c.at, c.old = c.at.Add(-5*time.Minute), true
	}
	return c
}

// block returns the copy of a market in others.
func (s *seller) block(good int) copyOf {
	lot := uint64(good)
	c := copyOf{section: "others", at: s.since.Add(time.Duration(s.fixture.Lot(50, oddSecond, lot, 1)) * time.Second)}
	if s.fixture.Lot(5, oddOldBlock, lot) == 0 {
		c.at, c.old = c.at.Add(-5*time.Minute), true
	}
	return c
}

// sellTabs are the sections with markets, in the order sent; v4 names some of them
// otherwise (betsapi.md, section 6.1).
var sellTabs = []string{"asian_lines", "cards", "corners", "goals", "half", "main", "minutes", "player", "specials"}

var sellTabsV4 = map[string]string{"cards": "cards_fouls", "player": "player_stats", "specials": "other"}

func (s *seller) tabName(section string) string {
	if name, ok := sellTabsV4[section]; ok && s.edition == 4 {
		return name
	}
	return section
}

// laid is one row ready to be written.
type laid struct {
	spoken
	id, price string
	isLabel   bool
	unclear   bool // its meaning cannot be proven from what is sent
	ref       int  // in the good's refs
	sold      simulator.Selection
}

// lay sets out a market's rows as one copy shows them. The result is valid
// until the next call.
func (s *seller) lay(i int, c copyOf) []laid {
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

// row says one selection.
func (s *seller) row(i, ri int, sel simulator.Selection, c copyOf) laid {
	g := &catalogue[i]
	s.pair.used = 0
	l := laid{ref: ri, sold: sel, spoken: g.say(&s.pair, g.refs[ri], sel), price: sel.Price}
	l.unclear = s.pair.used&s.pair.unknown != 0 || g.key == "winning_margin" && l.header == "" || sel.Outcome == simulator.AnyOtherPlayer ||
		sel.Player != "" && (sel.Player == s.namesake || s.pair.nameless()) // without both teams' names, a team cannot be told from a player
	h := rowHash(s.fixture, uint64(i), uint64(ri), sel)
	l.id = strconv.FormatUint(1_000_000_000+h%8_999_999_999, 10)
	switch {
	case h>>8%700 == 0:
		l.price, l.unclear = "", true
	case h>>8%900 == 1 && g.form == asSold:
		l.id = ""
	}
	if c.old && l.price != "" && h>>16%3 == 0 {
		l.price = simulator.Beside(l.price, h>>20&1 == 0)
	}
	return l
}

// column orders rows of a market that is sent column by column.
func (s *seller) column(l laid) int {
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

// rowHash identifies a selection for good, whatever it costs.
func rowHash(f simulator.Fixture, good, ref uint64, sel simulator.Selection) uint64 {
	h := uint64(f.Number)*0x9e3779b97f4a7c15 ^ good<<32 ^ ref<<48 ^ rowSeed
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
func (s *seller) table(rows []laid) []laid {
	s.laid = s.laid[:0]
	first := rows[:0:0]
	for _, l := range rows {
		if l.header == rows[0].header {
			first = append(first, l)
		}
	}
	for _, l := range first {
		s.laid = append(s.laid, laid{id: "PC" + l.id, isLabel: true, spoken: spoken{name: l.name}})
	}
	for _, l := range rows {
		l.name = ""
		s.laid = append(s.laid, l)
	}
	return s.laid
}

// teamTable sends the labels of both teams and the prices of one, as recorded.
func (s *seller) teamTable(rows []laid) []laid {
	s.laid = s.laid[:0]
	kept := [...]string{"HOME", "AWAY"}[s.fixture.Lot(2, oddTeamTable)]
	for _, l := range rows {
		name, _, _ := strings.Cut(l.name, " (")
		s.laid = append(s.laid, laid{id: "PC" + l.id, isLabel: true, spoken: spoken{name: name, header: sideNumber(l.sold.Side, ""), team: "Odds"}})
	}
	for _, l := range rows {
		if l.sold.Side == kept {
			l.name, l.header, l.team = "", "Odds", "Odds"
			s.laid = append(s.laid, l)
		}
	}
	return s.laid
}
