package receipt_test

import (
	"fmt"
	"testing"

	"mkt/internal/receipts/receipt"
	"mkt/publish/table"
)

// BenchmarkReceipt makes and checks a receipt of a fixture with 80 markets of 8 selections, of 1,000 fixtures,
// with two witnesses.
func BenchmarkReceipt(b *testing.B) {
	w := newWorld(b, "both")
	w.more = func(fixture string) (all []table.MarketRow) {
		for i := range 80 {
			m := table.MarketRow{FixtureID: fixture, MarketID: fmt.Sprintf("mk_%026d", i), Market: text("TOTAL_GOALS"), Period: text("FT"), OriginType: "MAPPED", DerivationVersion: "1"}
			for s := range 8 {
				odds := float64(i*8+s+101) / 100
				m.Selections = append(m.Selections, table.SelectionRow{SelectionID: fmt.Sprintf("sl_%026d", i*10+s), Selection: text("OVER"), Line: text(fmt.Sprint(s)), OddsDecimalText: text(fmt.Sprintf("%.2f", odds)),
					OddsDecimal: &odds, QualityStatus: "OK", Publishable: true, ProviderSelectionID: text(fmt.Sprint(i*10 + s)), Absent: []string{"odds_fractional"}, Labels: []table.LabelRow{{Field: "name", Text: "Over"}}})
			}
			all = append(all, m)
		}
		return all
	}
	var all []int
	for n := range 1000 {
		all = append(all, n)
	}
	c := w.publish(all...)
	w.logNow()
	of := w.wanted(c, 500, mkA, slPrice)
	data := w.make(of)
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			w.make(of)
		}
		b.ReportMetric(float64(len(data)), "bytes")
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if _, err := receipt.Check(data, w.policy); err != nil {
				b.Fatal(err)
			}
		}
	})
}
