package bookmaker

import "strconv"

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

var (
	results = [3]string{"HOME", "DRAW", "AWAY"}
	sides   = [2]string{"HOME", "AWAY"}
	yesNo   = [2]string{"YES", "NO"}
	noYes   = [2]string{"NO", "YES"}
)

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

func (m *Market) yesNo(s Selection, yes float64) {
	s.Outcome = "YES"
	m.add(s, yes, marginTwo)
	s.Outcome = "NO"
	m.add(s, 1-yes, marginTwo)
}

// overUnder prices a total; exactly is the probability of n.
func (m *Market) overUnder(s Selection, line float64, exactly func(n int) float64) {
	var win, push [2]float64
	for k, l := range quarters(line) {
		win[k] = 1
		for n := 0; float64(n) <= l; n++ {
			p := exactly(n)
			win[k] -= p
			if float64(n) == l {
				push[k] = p
			}
		}
	}
	over := even(win, push)
	if over < 0.012 || over > 0.988 {
		return
	}
	under := s
	s.Outcome, under.Outcome = "OVER", "UNDER"
	if m.Book == Asian || m.Book == AsianAlternative {
		m.fine(s, over)
		m.fine(under, 1-over)
		return
	}
	m.add(s, over, marginTwo)
	m.add(under, 1-over, marginTwo)
}

// counted prices exact numbers up to last, where last means "or more".
func (m *Market) counted(s Selection, last int, exactly func(n int) float64) {
	rest := 1.0
	for n := range last {
		p := exactly(n)
		rest -= p
		s.Outcome = strconv.Itoa(n)
		m.add(s, p, marginMany)
	}
	s.Outcome = strconv.Itoa(last) + "+"
	m.add(s, rest, marginMany)
}

// twoSides prices an Asian handicap, each side with its own sign of the line.
func (m *Market) twoSides(line, p float64) {
	if p < 0.04 || p > 0.96 {
		return
	}
	m.fine(Selection{Outcome: "HOME", Line: signedText(line)}, p)
	m.fine(Selection{Outcome: "AWAY", Line: signedText(-line)}, 1-p)
}
