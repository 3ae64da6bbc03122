package sportmonks

import (
	_ "embed"
	"encoding/csv"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
)

//go:embed markets.csv
var marketsCSV string

//go:embed names.csv
var namesCSV string

//go:embed words.csv
var wordsCSV string

// Dialect returns the wording of the rows, and table the mapping table of the markets.
// The table's keys are market ids; its rows are the names of rows of the market Specials.
var Dialect, table = mapping.Embedded(Name+"/markets.csv", marketsCSV, wordsCSV)

// names are the plain names under which the markets of the table are known.
type names struct {
	own   map[string]string    // the provider's own name, by market id
	known map[meaningName]bool // every name of a market with that meaning, whatever its id
}

// meaningName is a name of markets with one meaning.
type meaningName struct{ market, period, subject, parameter, name string }

func nameOf(m *input.Reading, plain string) meaningName {
	return meaningName{m.Market, m.Period, m.Subject, m.Parameter, plain}
}

var marketNames = sync.OnceValue(func() names {
	n := names{own: make(map[string]string), known: make(map[meaningName]bool)}
	add := func(e *mapping.Entry, name string) {
		if e.Reading != nil {
			n.known[nameOf(e.Reading, plainName(name))] = true
		}
	}
	for _, l := range table().Lines() {
		if l.By == "key" {
			n.own[l.Match] = plainName(l.Name)
			add(l.Entry, l.Name)
		}
	}
	r := csv.NewReader(strings.NewReader(namesCSV))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("sportmonks: names.csv: " + err.Error())
	}
	for _, line := range lines[1:] {
		add(table().ByKey[line[0]], line[1])
	}
	return n
})

// keyOf returns the key of the market with this id and name: the id alone if the name is the
// provider's own or missing, else the id and the plain name. It does not depend on what
// else is in the payload.
func keyOf(market, name string) string {
	plain := plainName(name)
	if plain == "" || plain == marketNames().own[market] {
		return market
	}
	return market + "#" + plain
}

// fits reports whether a market that the table reads as m may have a name: it is
// missing, or a known name of this id or of another id with the same meaning. A name says
// what the market is in free text, so that every other name may be another market's.
func fits(m *input.Reading, name string) bool {
	return name == "" || marketNames().known[nameOf(m, plainName(name))]
}

// plainName returns the letters and digits of a name, in lower case; the name itself if it
// has none.
func plainName(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 0x7f {
			return c
		}
		return -1
	}, strings.ToLower(name))
	if plain == "" {
		return name
	}
	return plain
}

// Name is the provider's name. It is part of every id minted from it.
const Name = "sportmonks"
