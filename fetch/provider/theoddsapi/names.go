package theoddsapi

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/fetch/provider/theoddsapi/internal/wire"
)

//go:embed theoddsapi.csv
var tableCSV string

//go:embed theoddsapi_words.csv
var wordsCSV string

// Dialect returns the wording of the provider's outcomes.
var Dialect = sync.OnceValue(func() *input.Dialect {
	d, err := mapping.ParseDialect(wordsCSV)
	if err != nil {
		panic("theoddsapi: embedded words: " + err.Error()) // a test reads all of them
	}
	return d
})

// table is the mapping table of the provider's market keys.
var table = sync.OnceValue(func() *mapping.Table {
	t, err := mapping.Parse(Name+"/theoddsapi.csv", tableCSV, Dialect())
	if err != nil {
		panic("theoddsapi: embedded table: " + err.Error()) // a test reads the whole table
	}
	return t
})

// everyMarket is the list of the keys that the table maps: what is asked for where all
// markets of a fixture are bought. A key that stays RAW would cost as much.
var everyMarket = sync.OnceValue(func() string {
	keys := strings.Split(wire.Featured, ",")
	featured := len(keys)
	for key, e := range table().ByKey {
		if e.Reading != nil && !slices.Contains(keys[:featured], key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys[featured:])
	return strings.Join(keys, ",")
})
