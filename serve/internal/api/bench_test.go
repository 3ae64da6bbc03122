package api_test

import (
	"testing"
	"time"

	"mkt/publish/table"
	"mkt/serve/internal/api"
)

func BenchmarkAppendMarket(b *testing.B) {
	row := &table.MarketRow{MarketID: "mk_a", Market: ptr("TOTAL_GOALS"), MarketName: ptr("Goals Over/Under"), Period: ptr("FT"), Sections: []string{"goals", "main"},
		Lines: []string{"2.5"}, OriginType: "MAPPED", DerivationVersion: "1", SelectionCount: 2, ProviderMarketIDs: []string{"981"}}
	for range 4 {
		row.Selections = append(row.Selections, table.SelectionRow{SelectionID: "sl_a", Selection: ptr("OVER"), Line: ptr("2.5"), OddsDecimalText: ptr("1.90"),
			Dimension: ptr("GOALS"), QualityStatus: "OK", Publishable: true, ProviderSelectionID: ptr("7"), Absent: []string{"odds_fractional"}})
	}
	var dst []byte
	for b.Loop() {
		dst = api.AppendMarket(dst[:0], row)
	}
}

func liveRow() (*table.LiveRow, api.LiveDetail) {
	row := &table.LiveRow{FixtureID: "fx_a", InPlay: true, Home: ptr("Home"), Away: ptr("Away"), League: ptr("League"), FreshAt: fetched, ClockMinute: ptr(int32(45)),
		ScoreHome: ptr(int32(1)), ScoreAway: ptr(int32(0)), MomentumHome: ptr(int32(60)), MomentumAway: ptr(int32(40)), DetailRank: ptr(int32(1))}
	var d api.LiveDetail
	for i := range int32(90) {
		d.Buckets = append(d.Buckets, table.LiveBucketRow{Minute: i, State: "VALUE", Home: ptr(i), Away: ptr(i)})
		if i%3 == 0 {
			d.Timeline = append(d.Timeline, table.LiveTimelineRow{At: fetched, Until: fetched, State: "CALM", Certainty: "INFERRED", SideProven: "HOME", Minute: &i})
		}
	}
	d.Counters = []table.LiveCounterRow{{Metric: "attacks", State: "VALUE", HomeText: ptr("12"), AwayText: ptr("3")}}
	return row, d
}

func BenchmarkNewLiveFixture(b *testing.B) {
	row, d := liveRow()
	for b.Loop() {
		api.NewLiveFixture(row, d)
	}
}

func BenchmarkLiveItem(b *testing.B) {
	row, d := liveRow()
	f := api.NewLiveFixture(row, d)
	var dst []byte
	for b.Loop() {
		dst = f.AppendItem(dst[:0], fetched.Add(time.Second))
	}
}
