package theoddsapi_test

import (
	"testing"

	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/providertest"
)

func FuzzRead(f *testing.F) {
	seeds := append(providertest.BodiesOf(f, goldens), []byte(errorBody("OUT_OF_USAGE_CREDITS")), []byte(`<html>`))
	providertest.Fuzz(f, providertest.Fuzzed{Provider: theoddsapi.Provider(), Seeds: seeds, Listings: []string{"sports", "events"}, Markets: "odds"})
}
