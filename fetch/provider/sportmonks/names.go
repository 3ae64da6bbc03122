package sportmonks

import (
	_ "embed"

	"mkt/fetch/mapping"
)

//go:embed markets.csv
var marketsCSV string

//go:embed words.csv
var wordsCSV string

// Dialect returns the wording of the rows, and table the mapping table of the markets.
// The table's keys are market ids; its rows are the names of rows of the market Specials.
var Dialect, table = mapping.Embedded(Name+"/markets.csv", marketsCSV, wordsCSV)
