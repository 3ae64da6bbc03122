package theoddsapi

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"mkt/fetch/mapping"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

//go:embed theoddsapi.csv
var tableCSV string

//go:embed theoddsapi_words.csv
var wordsCSV string

// Dialect returns the wording of the provider's outcomes, and table the mapping table of
// its market keys.
var Dialect, table = mapping.Embedded(Name+"/theoddsapi.csv", tableCSV, wordsCSV)

// everyMarket returns the list of the mapped keys of the table, which is requested where
// all markets of a fixture are bought. A key that stays RAW would cost as much.
var everyMarket = sync.OnceValue(func() string {
	keys := strings.Split(api.Featured, ",")
	featured := len(keys)
	for key, e := range table().ByKey {
		if e.Reading != nil && !slices.Contains(keys[:featured], key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys[featured:])
	return strings.Join(keys, ",")
})
