package sportmonks_test

import (
	"testing"

	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/providertest"
)

func FuzzRead(f *testing.F) {
	seeds := [][]byte{[]byte(`{"message":"Unauthenticated."}`)}
	for _, name := range []string{"listing", "multi", "rows", "damaged", "nothing", "inplay"} {
		seeds = append(seeds, own(f, name))
	}
	providertest.Fuzz(f, providertest.Fuzzed{Provider: sportmonks.Provider(), Seeds: seeds, Listings: []string{"fixtures/between"}, Markets: "fixtures/multi"})
}
