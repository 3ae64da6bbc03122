package betsapi

import (
	_ "embed"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

//go:embed bet365.csv
var bet365CSV string

//go:embed bet365_words.csv
var bet365WordsCSV string

// Dialect returns the wording of Bet365's rows, and table the mapping table of its
// markets. The table's keys are those of the sp blocks (v1 and v3), its names those of
// raw, and its rows those of "specials".
var Dialect, table = mapping.Embedded(Name+"/bet365.csv", bet365CSV, bet365WordsCSV)

// keyOfName returns the key of a market known by its name only, and its
// line. The key of an unknown name is made by the provider's own rule and so
// the same in every shape. If it is the key of a known market, it begins
// with "name:", so the two stay distinct.
func keyOfName(t *mapping.Table, name string) (string, *mapping.Entry) {
	if e := t.ByName[name]; e != nil {
		return e.Key, e
	}
	key := makeKey(name)
	if t.ByKey[key] != nil {
		return "name:" + key, nil
	}
	return key, nil
}

// halfLines ends the match of a market's line for the days on which all of its lines are halves.
const halfLines = " half"

// entryOf returns the table's line for a market with these rows. e is that of its key or name, nil if there is none.
func entryOf(t *mapping.Table, e *mapping.Entry, rows []input.Row) *mapping.Entry {
	if e == nil || t.ByKey[e.Key+halfLines] == nil {
		return e
	}
	for i := range rows {
		if !slices.ContainsFunc(rows[i].Labels, func(l football.Label) bool { return strings.HasSuffix(l.Text, ".5") }) {
			return e
		}
	}
	return t.ByKey[e.Key+halfLines]
}

// makeKey makes a market's key of its name as the provider does: lower case,
// with one underscore for each run of blanks, slashes and dashes.
func makeKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), isApart), "_")
}

// isApart reports whether a character separates the words of a name.
func isApart(r rune) bool { return r == ' ' || r == '/' || r == '-' || r == '\r' || r == '\n' }

// normalName removes stray blanks and line breaks from a name.
func normalName(name string) string {
	clean := true
	for i := 0; i < len(name) && clean; i++ {
		c := name[i]
		clean = c > ' ' && c < 0x80 || c == ' ' && i > 0 && i < len(name)-1 && name[i+1] != ' '
	}
	if clean {
		return name
	}
	return strings.Join(strings.Fields(name), " ")
}

// Name is the provider's name. It is part of every id minted from it.
const Name = "betsapi"
