// Package rowstest makes rows of fixtures and markets with random values, for tests of the tables.
package rowstest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"mkt/publish/table"
)

// Markets returns markets of every shape, ten for each fixture.
func Markets(markets, selections int) []table.MarketRow {
	rows := make([]table.MarketRow, markets)
	for i := range rows {
		rows[i] = Market(i, selections)
	}
	return rows
}

// Market returns the market with a number: every tenth is RAW.
func Market(i, selections int) table.MarketRow {
	m := table.MarketRow{
		FixtureID: fmt.Sprintf("fx_%026d", i/10), MarketID: fmt.Sprintf("mk_%026d", i), Ordinal: int32(i % 10),
		Market: new("TOTAL_GOALS"), MarketName: new(fmt.Sprint("Market ", i%10)), Period: new("FT"), Sections: []string{"main", "goals"}, Lines: []string{"2.5", "3.5"},
		OriginType: "MAPPED", DerivationVersion: "1", SelectionCount: int32(selections), ProviderMarketIDs: []string{fmt.Sprint(i % 10)}, ProviderMarketKey: fmt.Sprint("key_", i%10), Rule: new(fmt.Sprint("rule:", i%10)),
	}
	if i%10 == 9 {
		m.Market, m.Period, m.Rule, m.RawReason, m.OriginType = nil, nil, nil, new("UNKNOWN_MARKET"), "RAW"
		m.MarketName, m.Absent, m.Sections = nil, []string{"market_name"}, nil
	}
	for s := range selections {
		odds := 1.01 + float64((i*13+s*31)%900)/100
		row := table.SelectionRow{
			SelectionID: fmt.Sprintf("sl_%026d", i*100+s), Selection: new([]string{"OVER", "UNDER"}[s%2]), Line: new([]string{"2.5", "3.5", "4.5"}[s%3]),
			OddsDecimalText: new(fmt.Sprintf("%.2f", odds)), OddsDecimal: &odds, Dimension: new("GOALS"), QualityStatus: "OK", Publishable: true,
			ProviderSelectionID: new(fmt.Sprint(i*100 + s)), Absent: []string{"odds_fractional"}, Labels: []table.LabelRow{{Field: "name", Text: "2.5"}, {Field: "header", Text: "Over"}},
		}
		if s%7 == 6 {
			row = table.SelectionRow{SelectionID: row.SelectionID, QualityStatus: "UNREADABLE", Reasons: []string{"ODDS_NULL", "UNREADABLE_LINE"}, GridRow: new(""), GridColumn: new("1"), Subject: new("HOME")}
		}
		m.Selections = append(m.Selections, row)
	}
	return m
}

// Fill sets every field of a row to a random value, or to none.
func Fill(v reflect.Value, random *rand.Rand) {
	switch at, isTime := v.Addr().Interface().(*time.Time); {
	case isTime:
		switch random.IntN(4) {
		case 0: // the zero time
		case 1:
			*at = time.UnixMilli(-random.Int64N(1 << 41)).UTC()
		default:
			*at = time.UnixMilli(random.Int64N(1 << 41)).UTC()
		}
		return
	case v.Kind() == reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			Fill(v.Elem(), random)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			Fill(v.Field(i), random)
		}
	case reflect.Slice:
		n := random.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			Fill(v.Index(i), random)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "home", "odds_decimal", "HOME", string(make([]byte, 200))}[random.IntN(6)])
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 1<<31 - 1, -1 << 31}[random.IntN(5)])
	case reflect.Uint8:
		v.SetUint(uint64(random.IntN(256)))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1.5, -2, 1e300}[random.IntN(4)])
	case reflect.Bool:
		v.SetBool(random.IntN(2) > 0)
	default:
		panic(v.Kind())
	}
}
