package content_test

import (
	"testing"
	"time"

	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// The digest changes with everything that a client can read, and with nothing else.
func TestDigest(t *testing.T) {
	fixture := table.FixtureRow{FixtureID: "fx", Home: new("a"), ProviderFixtureID: "1"}
	markets := rowstest.Markets(3, 3)
	before := content.Digest(fixture, markets)
	again := fixture
	again.ProviderFetchedAt, again.ContentDigest = time.Now(), "other"
	if content.Digest(again, rowstest.Markets(3, 3)) != before {
		t.Error("a new retrieval of the same content has another digest")
	}
	seen := map[string]string{before: "nothing"}
	for name, change := range map[string]func(f *table.FixtureRow, m []table.MarketRow){
		"home":          func(f *table.FixtureRow, _ []table.MarketRow) { f.Home = new("b") },
		"null":          func(f *table.FixtureRow, _ []table.MarketRow) { f.Home = nil },
		"absent":        func(f *table.FixtureRow, _ []table.MarketRow) { f.Home, f.Absent = nil, []string{"home"} },
		"kick-off":      func(f *table.FixtureRow, _ []table.MarketRow) { f.StartsAt = new(time.Unix(0, 0)) },
		"odds":          func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].OddsDecimalText = new("9") },
		"label":         func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].Labels[0].Text = "9" },
		"label's field": func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Selections[2].Labels[0].Field = "9" },
		"order":         func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Ordinal = 77 },
		"section":       func(_ *table.FixtureRow, m []table.MarketRow) { m[1].Sections = []string{"ma", "ingoals"} },
		"a selection less": func(_ *table.FixtureRow, m []table.MarketRow) {
			m[1].Selections = m[1].Selections[:2]
		},
	} {
		f, m := fixture, rowstest.Markets(3, 3)
		change(&f, m)
		digest := content.Digest(f, m)
		if other, taken := seen[digest]; taken {
			t.Errorf("%s: same digest as %s", name, other)
		}
		seen[digest] = name
	}
	if content.Digest(fixture, markets[:2]) == before {
		t.Error("a market less: same digest")
	}
}

// The digests that were published stay what they are: a column keeps its code in
// the digest wherever it stands in the table.
func TestDigestNeverChanges(t *testing.T) {
	kickOff := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	fixture := table.FixtureRow{FixtureID: "fx", Home: new("a"), League: new(""), StartsAt: &kickOff, MarketCount: 21, SourceProvider: "p",
		ProviderFixtureID: "1", ProviderFetchedAt: kickOff, ContentDigest: "other", Absent: []string{"away"}}
	markets := append(rowstest.Markets(20, 9), table.MarketRow{FixtureID: "fy", MarketID: "no selections"})
	for name, c := range map[string]struct{ got, want string }{
		"fixture":            {content.Digest(fixture, nil), "8ee84133f02abf50652b4cac5492ccacc4f6abc427e535b80f0804451ee26deb"},
		"without a kick-off": {content.Digest(table.FixtureRow{FixtureID: "fx"}, nil), "9a8c3009cacfe499e883113bfe60e8583284bcef5f7c4d8f2e925b3cb6a0fa62"},
		"with markets":       {content.Digest(fixture, markets), "e2b05ad893d0e517159de299e6816f76a99419365948467cc64556ec32b246ad"},
	} {
		if c.got != c.want {
			t.Errorf("%s: the digest is %s, want %s", name, c.got, c.want)
		}
	}
}
