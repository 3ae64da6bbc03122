package apifootball_test

import (
	"net/url"
	"os"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/needs"
)

// BenchmarkReadMarkets reads a recorded fixture: the prices of one of its twelve
// bookmakers.
func BenchmarkReadMarkets(b *testing.B) {
	body, err := os.ReadFile(needs.Shared(b, "providers/apifootball/odds/fixture_1378041.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		s, err := adapter.ReadMarkets(provider.Payload{Body: body, Query: url.Values{"bookmaker": {"8"}}}, provider.Listing{})
		if err != nil {
			b.Fatal(err)
		}
		rows = 0
		for _, o := range s.Fixtures[0].Offers {
			rows += len(o.Rows)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
