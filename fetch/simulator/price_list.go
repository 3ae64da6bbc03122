package simulator

import (
	"math"
	"time"
)

// Ref names one market of the world: the thing priced, its period, and its variant.
type Ref struct {
	Market    string // canonical name; a lower-case name of the simulator's own if the vocabulary has none
	Period    string // canonical period
	Book      Book
	Side      string // HOME or AWAY for a market of one team
	Parameter string // "3" of a race to three corners, FIRST and LAST
}

// Book distinguishes markets of the same meaning that are offered separately.
type Book string

const (
	Main             Book = ""
	Alternative      Book = "alternative" // the lines other than the main one
	Asian            Book = "asian"       // with quarter lines
	AsianAlternative Book = "asian_alternative"
	Table            Book = "table" // in columns; the same is also sold row by row
)

var books = []Book{Alternative, Asian, AsianAlternative, Table}

// Selection is an outcome with its price.
type Selection struct {
	Outcome   string // canonical outcome, "HOME", "OVER", "2-1", "HOME&YES"; a player's market has YES or OVER
	Line      string // canonical line: of the side for an Asian handicap, of the home side for a European one
	Qualifier string // a minute such as "27:00", or a count
	Side      string // HOME or AWAY if the market has rows of both teams
	Player    string
	Price     string // decimal, two places
}

// Market is one market with its prices.
type Market struct {
	Ref
	Selections []Selection
}

// PriceList is every market on a fixture at one version of the prices. It is not safe for
// concurrent use.
type PriceList struct {
	Fixture Fixture
	Version int64     // of the prices, incremented at each move
	Since   time.Time // when the prices last moved

	m                      *model
	corners, cards         [2]float64 // expected, by side
	shots, target, tackles [2]float64
	offsides               [2]float64
	base                   baseLines
}

// baseLines are the lines around which alternatives are priced. They do not move with the
// prices, so the set of lines stays the same.
type baseLines struct{ total, handicap, halfTotal, halfHandicap float64 }

// Version returns the version of a fixture's prices, and since when it is valid. Each
// fixture has its own interval, from 7 to 20 minutes.
func (w *World) Version(f Fixture, now time.Time) (int64, time.Time) {
	pace := time.Duration(7+f.Lot(14, 31)) * time.Minute
	phase := time.Duration(f.Lot(20*60, 32)) * time.Second
	since := now.Sub(epoch) + phase
	v := int64(since / pace)
	return v, epoch.Add(time.Duration(v)*pace - phase)
}

// PriceList returns a fixture's prices at a version.
func (w *World) PriceList(f Fixture, version int64, since time.Time) *PriceList {
	s := &PriceList{Fixture: f, Version: version, Since: since}
	edge := f.edge()
	home, away := f.expected()
	s.base = baseLines{
		total:        halfLine(home + away - 0.1),
		handicap:     math.Round((away-home)*2) / 2,
		halfTotal:    halfLine((home + away) * firstHalf),
		halfHandicap: math.Round((away-home)*firstHalf*2) / 2,
	}
	at := float64(version) * 0.3
	s.m = newModel(home*(1+0.07*f.dice.wave(at, 41)), away*(1+0.07*f.dice.wave(at, 42)))
	s.corners[0], s.corners[1] = split(10.2, edge*0.3)
	s.cards[1], s.cards[0] = split(3.9, edge*0.12)
	s.shots[0], s.shots[1] = split(24, edge*0.28)
	s.target[0], s.target[1] = split(8.6, edge*0.3)
	s.tackles[1], s.tackles[0] = split(33, edge*0.05)
	s.offsides[0], s.offsides[1] = split(4.2, edge*0.1)
	return s
}

// edge is how much stronger the home side is, including the home advantage.
func (f Fixture) edge() float64 { return f.Home.Strength - f.Away.Strength + 0.25 }

// expected is the mean number of goals of each side.
func (f Fixture) expected() (home, away float64) { return split(f.League.Goals, f.edge()*0.5) }

// split divides a total between home and away; lean above 0 favours home.
func split(total, lean float64) (home, away float64) {
	share := 1 / (1 + math.Exp(-lean))
	return total * share, total * (1 - share)
}

// halfLine is the half line nearest to a mean, at least 0.5.
func halfLine(mean float64) float64 { return max(math.Floor(mean)+0.5, 0.5) }

// Market prices one market. It is empty if the fixture's numbers leave nothing to offer,
// and for an unknown Ref.
func (s *PriceList) Market(r Ref) Market {
	m := Market{Ref: r}
	if price, ok := pricers[r.Market]; ok {
		price(s, &m)
	}
	return m
}

const (
	marginTwo  = 0.055
	marginMany = 0.12
	marginFine = 0.028
)

// add prices an outcome; one with almost no probability is left out.
func (m *Market) add(s Selection, p, margin float64) {
	if p < 0.0012 {
		return
	}
	s.Price = price(ladder, p, margin)
	m.Selections = append(m.Selections, s)
}

func (m *Market) fine(s Selection, p float64) {
	s.Price = price(fine, p, marginFine)
	m.Selections = append(m.Selections, s)
}
