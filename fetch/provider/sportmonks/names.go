package sportmonks

import (
	_ "embed"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
)

//go:embed markets.csv
var marketsCSV string

//go:embed words.csv
var wordsCSV string

// Dialect returns the wording of the rows.
var Dialect = sync.OnceValue(func() *input.Dialect {
	d, err := mapping.ParseDialect(wordsCSV)
	if err != nil {
		panic("sportmonks: embedded words: " + err.Error()) // a test reads all of them
	}
	return d
})

// table is the mapping table of the provider's markets. Its keys are market ids; its
// rows are the names of rows of the market Specials.
var table = sync.OnceValue(func() *mapping.Table {
	t, err := mapping.Parse(Name+"/markets.csv", marketsCSV, Dialect())
	if err != nil {
		panic("sportmonks: embedded table: " + err.Error()) // a test reads the whole table
	}
	return t
})
