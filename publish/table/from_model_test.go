package table_test

import (
	"fmt"
	"testing"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// The digest changes with everything that a client can read, and with nothing else.
func TestDigest(t *testing.T) {
	fixture := table.FixtureRow{FixtureID: "fx", Home: some("a"), ProviderFixtureID: "1"}
	markets := sampleMarkets(3, 3)
	before := table.Digest(fixture, markets)
	again := fixture
	again.ProviderFetchedAt, again.ContentDigest = time.Now(), "other"
	if table.Digest(again, sampleMarkets(3, 3)) != before {
		t.Error("a new retrieval of the same content has another digest")
	}
	seen := map[string]string{before: "nothing"}
	for name, change := range map[string]func(f *table.FixtureRow, m []table.MarketRow){
		"home":          func(f *table.FixtureRow, _ []table.MarketRow) { f.Home = some("b") },
		"null":          func(f *table.FixtureRow, _ []table.MarketRow) { f.Home = nil },
		"absent":        func(f *table.FixtureRow, _ []table.MarketRow) { f.Home, f.Absent = nil, []string{"home"} },
		"kick-off":      func(f *table.FixtureRow, _ []table.MarketRow) { f.StartsAt = some(time.Unix(0, 0)) },
		"odds":          func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].OddsDecimalText = some("9") },
		"label":         func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].Labels[0].Text = "9" },
		"label's field": func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].Labels[0].Field = "9" },
		"order":         func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Ordinal = 77 },
		"section":       func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Sections = []string{"ma", "ingoals"} },
		"a selection less": func(_ *table.FixtureRow, m []table.MarketRow) {
			m[1].Selections = m[1].Selections[:2]
		},
	} {
		f, m := fixture, sampleMarkets(3, 3)
		change(&f, m)
		digest := table.Digest(f, m)
		if other, taken := seen[digest]; taken {
			t.Errorf("%s: same digest as %s", name, other)
		}
		seen[digest] = name
	}
	if table.Digest(fixture, markets[:2]) == before {
		t.Error("a market less: same digest")
	}
}

// The digests that were published stay what they are: a column keeps its code in
// the digest wherever it stands in the table.
func TestDigestNeverChanges(t *testing.T) {
	kickOff := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	fixture := table.FixtureRow{FixtureID: "fx", Home: some("a"), League: some(""), StartsAt: &kickOff, MarketCount: 21, SourceProvider: "p",
		ProviderFixtureID: "1", ProviderFetchedAt: kickOff, ContentDigest: "other", Absent: []string{"away"}}
	markets := append(sampleMarkets(20, 9), table.MarketRow{FixtureID: "fy", MarketID: "no selections"})
	for name, c := range map[string]struct{ got, want string }{
		"fixture":            {table.Digest(fixture, nil), "8ee84133f02abf50652b4cac5492ccacc4f6abc427e535b80f0804451ee26deb"},
		"without a kick-off": {table.Digest(table.FixtureRow{FixtureID: "fx"}, nil), "9a8c3009cacfe499e883113bfe60e8583284bcef5f7c4d8f2e925b3cb6a0fa62"},
		"with markets":       {table.Digest(fixture, markets), "e2b05ad893d0e517159de299e6816f76a99419365948467cc64556ec32b246ad"},
	} {
		if c.got != c.want {
			t.Errorf("%s: the digest is %s, want %s", name, c.got, c.want)
		}
	}
	if _, sum := write(t, markets, 7); sum.Digest != "d037dedb65f9042525cfa9b73397150c4d1d314e2ee6b0689bf9fffa301eb3a7" {
		t.Errorf("the digest of the table is %s", sum.Digest)
	}
}

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
			rows[i] = table.MarketOf("fx", "1", &markets[i])
		}
		table.Digest(table.FixtureRow{}, rows)
	}
	b.ReportMetric(float64(len(markets)*10*b.N)/b.Elapsed().Seconds(), "selections/s")
}
