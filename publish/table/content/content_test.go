package content_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mkt/publish/table"
	"mkt/publish/table/content"
)

// drawContent draws a fixture with markets in which every column has each of its states.
func drawContent(t *rapid.T) (table.FixtureRow, []table.MarketRow) {
	text := rapid.SampledFrom([]string{"", "a", "Fulham", "2.50", "ÄÖ\x00", string(make([]byte, 200))})
	optional := rapid.Custom(func(t *rapid.T) *string {
		if rapid.Bool().Draw(t, "null") {
			return nil
		}
		v := text.Draw(t, "text")
		return &v
	})
	texts := rapid.SliceOfN(text, 0, 3)
	fixture := table.FixtureRow{FixtureID: text.Draw(t, "id"), Home: optional.Draw(t, "home"), Away: optional.Draw(t, "away"), League: optional.Draw(t, "league"),
		SourceProvider: text.Draw(t, "provider"), ProviderFixtureID: text.Draw(t, "provider id"), Absent: texts.Draw(t, "absent")}
	if rapid.Bool().Draw(t, "has a kick-off") {
		at := time.UnixMilli(rapid.Int64Range(0, 253402300799999).Draw(t, "kick-off")).UTC()
		fixture.StartsAt = &at
	}
	var markets []table.MarketRow
	for range rapid.IntRange(0, 3).Draw(t, "markets") {
		m := table.MarketRow{FixtureID: fixture.FixtureID, MarketID: text.Draw(t, "market"), Ordinal: rapid.Int32().Draw(t, "ordinal"), Market: optional.Draw(t, "name"),
			Sections: texts.Draw(t, "sections"), Lines: texts.Draw(t, "lines"), RawReason: optional.Draw(t, "reason"), Absent: texts.Draw(t, "absent")}
		for range rapid.IntRange(0, 3).Draw(t, "selections") {
			s := table.SelectionRow{SelectionID: text.Draw(t, "selection"), Line: optional.Draw(t, "line"), OddsDecimalText: optional.Draw(t, "odds"),
				Publishable: rapid.Bool().Draw(t, "publishable"), Reasons: texts.Draw(t, "reasons"), Absent: texts.Draw(t, "absent")}
			if rapid.Bool().Draw(t, "number") {
				n := rapid.Float64().Draw(t, "decimal")
				s.OddsDecimal = &n
			}
			for range rapid.IntRange(0, 2).Draw(t, "labels") {
				s.Labels = append(s.Labels, table.LabelRow{Field: text.Draw(t, "field"), Text: text.Draw(t, "label")})
			}
			m.Selections = append(m.Selections, s)
		}
		markets = append(markets, m)
	}
	return fixture, markets
}

// The content of a fixture has its rows, and other bytes are not content.
func TestContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixture, markets := drawContent(t)
		fixture.MarketCount = int32(len(markets))
		data := content.Of(fixture, markets)
		gotFixture, gotMarkets, err := content.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{fixture, markets}, []any{gotFixture, gotMarkets}, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatal(diff)
		}
		at := rapid.IntRange(0, len(data)-1).Draw(t, "changed byte")
		changed := slices.Clone(data)
		changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if f, m, err := content.Parse(changed); err == nil && slices.Equal(content.Of(f, m), data) {
			t.Fatal("two spellings of one content")
		}
	})
}

func FuzzContent(f *testing.F) {
	home := "Fulham"
	f.Add(content.Of(table.FixtureRow{FixtureID: "fx_1", Home: &home}, []table.MarketRow{{MarketID: "mk_1", Selections: []table.SelectionRow{{SelectionID: "sl_1", Labels: []table.LabelRow{{}}}}}}))
	f.Add(content.Of(table.FixtureRow{}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		fixture, markets, err := content.Parse(data)
		if err == nil && string(content.Of(fixture, markets)) != string(data) {
			t.Error("two spellings of one content")
		}
	})
}
