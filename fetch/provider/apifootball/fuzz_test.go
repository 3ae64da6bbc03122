package apifootball_test

import (
	"testing"

	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
)

func FuzzRead(f *testing.F) {
	seeds := append(providertest.BodiesOf(f, goldens, "testdata/live.txtar"), []byte(`{"errors":{"requests":"x"},"response":[]}`))
	providertest.Fuzz(f, providertest.Fuzzed{Provider: apifootball.Provider(), Seeds: seeds, Listings: []string{"fixtures"}, Markets: "odds", Readable: "NO_ENVELOPE"})
}
