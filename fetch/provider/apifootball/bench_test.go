package apifootball_test

import (
	"net/url"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
)

// BenchmarkReadMarkets reads a recorded fixture: the prices of one of its twelve
// bookmakers.
func BenchmarkReadMarkets(b *testing.B) {
	providertest.BenchmarkReadMarkets(b, adapter, provider.Payload{Body: recorded(b, "odds/fixture_1378041.json"), Query: url.Values{"bookmaker": {"8"}}})
}
