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

// Name is the provider's name. It is part of every id minted from it.
const Name = "theoddsapi"

// maxKey is the longest key of a bookmaker or a competition, in bytes. Recorded ones have
// up to 42.
const maxKey = 64

func isKey(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= maxKey
}

// isBookmaker reports whether name is written as a bookmaker's key, "betfair_ex_eu".
func isBookmaker(name string) bool { return isKey(name) }

// DefaultBookmaker is whose prices are asked for if the account has chosen none.
const DefaultBookmaker = "pinnacle"
