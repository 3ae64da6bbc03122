package apifootball

import (
	_ "embed"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

//go:embed bets.csv
var betsCSV string

//go:embed bets_words.csv
var betsWordsCSV string

// Dialect returns the wording of the values of prematch bets, and table the mapping table
// of the bets, by their ids.
var Dialect, table = mapping.Embedded(Name+"/bets.csv", betsCSV, betsWordsCSV)

// The values of some bets say Exactly at some bookmakers: then lines of the bet may be
// another market, which has a line of its own in the table.
const (
	exactly     = "Exactly "
	exactlyLine = " exactly"
)

// entryOf returns the table's line for a bet with these rows, nil if there is none.
func entryOf(t *mapping.Table, id string, rows []input.Row) *mapping.Entry {
	if other := t.ByKey[id+exactlyLine]; other != nil {
		for i := range rows {
			if strings.HasPrefix(rows[i].Label(labelValue), exactly) {
				return other
			}
		}
	}
	return t.ByKey[id]
}

// read returns the table's reading of a bet, or why there is none. All sports share the
// ids: a bet whose name is not that of football's list belongs to another sport.
func read(t *mapping.Table, e *mapping.Entry, id, name string) (*input.Reading, football.Reason) {
	if e != nil && e.Reading != nil && e.Key != name {
		return nil, football.ConditionFailed
	}
	return t.Read(e, id)
}

// Name is the provider's name. It is part of every id minted from it.
const Name = "apifootball"

// labelValue is the label with everything that a row says: side, line and number.
const labelValue = "value"
