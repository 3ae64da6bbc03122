package canonical_test

import (
	"fmt"
	"testing"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
)

func BenchmarkRowsAndDigest(b *testing.B) {
	markets := make([]football.Market, 60)
	for i := range markets {
		m := football.Market{ID: football.MarketID(fmt.Sprint("mk", i)), Canonical: "TOTAL_GOALS", Name: football.Of("Goals")}
		for s := range 10 {
			m.Selections = append(m.Selections, football.Selection{
				ID: "sl_abcdefghijklmnopqrstuvwxyz", Selection: "OVER", Line: "2.5", Odds: football.NewOdds(football.Field[string]{}, football.Of("1.90")),
				ProviderSelectionID: football.Of(fmt.Sprint(s)), Labels: []football.Label{{Field: "name", Text: "2.5"}},
			})
		}
		markets[i] = m
	}
	b.ReportAllocs()
	for b.Loop() {
		rows := make([]table.MarketRow, len(markets))
		for i := range markets {
			rows[i] = canonical.Market("fx", "1", &markets[i])
		}
		content.Digest(table.FixtureRow{}, rows)
	}
	b.ReportMetric(float64(len(markets)*10*b.N)/b.Elapsed().Seconds(), "selections/s")
}
