package sportmonks

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"

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

// marketNames are the plain names of each market, by its id: that of the table first.
var marketNames = sync.OnceValue(func() map[string][]string {
	names := make(map[string][]string)
	for _, l := range table().Lines() {
		if l.By == "key" {
			names[l.Match] = append(names[l.Match], plainName(l.Name))
		}
	}
	r := csv.NewReader(strings.NewReader(namesCSV))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("sportmonks: names.csv: " + err.Error())
	}
	for _, line := range lines[1:] {
		names[line[0]] = append(names[line[0]], plainName(line[1]))
	}
	return names
})

// nameRank returns how well a name fits a market id, the best first; -1 if the market is not
// known under it. No name fits least. Any name fits an id that the table does not have.
func nameRank(market, name string) int {
	names := marketNames()[market]
	if name == "" || names == nil {
		return len(names)
	}
	return slices.Index(names, plainName(name))
}

// isAnother reports whether a market has a name that the provider's list gives to other ids alone.
// It is false if one of those ids is read as the same market, or by a test of its rows: then the
// name does not contradict, or the rows decide.
func isAnother(e *mapping.Entry, market, name string) bool {
	if e == nil || e.Reading == nil || nameRank(market, name) >= 0 {
		return false
	}
	found, plain := false, plainName(name)
	for other, names := range marketNames() {
		if !slices.Contains(names, plain) {
			continue
		}
		found = true
		if o := table().ByKey[other]; o != nil && o.Reading != nil && (o.Reading.Condition != "" || o.Reading.Market == e.Reading.Market && o.Reading.Period == e.Reading.Period &&
			o.Reading.Subject == e.Reading.Subject && o.Reading.Parameter == e.Reading.Parameter) {
			return false
		}
	}
	return found
}

// plainName returns the letters and digits of a name, in lower case.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 0x7f {
			return c
		}
		return -1
	}, strings.ToLower(name))
}
