package api_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mkt/publish/table"
	"mkt/serve/internal/api"
)

func ptr[T any](v T) *T { return &v }

// Pinned: keys, their order, and how each state of a field is written.
func TestFixtureJSON(t *testing.T) {
	row := table.FixtureRow{FixtureID: "fx_a", Home: ptr("Ålesund"), League: ptr(`"Q" \ League`), StartsAt: ptr(fetched), MarketCount: 3,
		SourceProvider: "betsapi", ProviderFixtureID: "123", ContentDigest: "d", Absent: []string{"away"}}
	const list = `{"fixture_id":"fx_a","home":"Ålesund","away":null,"league":"\"Q\" \\ League","starts_at":"2026-11-20T09:07:00.000Z","market_count":3,` +
		`"provenance":{"source_provider":"betsapi","provider_fixture_id":"123","absent":["away"]},"content_digest":"d"}`
	body := api.AppendFixture(nil, &row)
	if string(body) != list {
		t.Errorf("got  %s\nwant %s", body, list)
	}
	single := api.AppendFixtureDetail(nil, body, row.FixtureID)
	if want := list[:len(list)-1] + `,"markets_url":"/api/v1/fixtures/fx_a/markets","bet_builder_available":false}`; string(single) != want {
		t.Errorf("got  %s\nwant %s", single, want)
	}
	if got := string(api.AppendFixture(nil, &table.FixtureRow{})); got != `{"fixture_id":"","home":null,"away":null,"league":null,"starts_at":null,"market_count":0,"provenance":{"source_provider":null,"provider_fixture_id":""},"content_digest":""}` {
		t.Error(got)
	}
}

func TestMarketJSON(t *testing.T) {
	row := table.MarketRow{MarketID: "mk_a", Market: ptr("TOTAL_GOALS"), MarketName: ptr("Goals Over/Under"), Period: ptr("FT"), Sections: []string{"goals", "main"},
		Lines: []string{"2.5"}, OriginType: "MAPPED", DerivationVersion: "1", SelectionCount: 2, ProviderMarketIDs: []string{"981"},
		Selections: []table.SelectionRow{
			{SelectionID: "sl_a", Selection: ptr("OVER"), Line: ptr("2.5"), OddsDecimalText: ptr("1.90"), OddsDecimal: ptr(1.9), Dimension: ptr("GOALS"),
				QualityStatus: "OK", Publishable: true, ProviderSelectionID: ptr("7"), Absent: []string{"odds_fractional"}, Labels: []table.LabelRow{{Field: "name", Text: "Over"}}},
			{SelectionID: "sl_b", Qualifier: ptr("3"), OddsFractional: ptr("11/10"), OddsDecimalText: ptr("abc"), Subject: ptr("HOME"), Subject2: ptr("AWAY"), GridRow: ptr("2"), GridColumn: ptr("1"),
				QualityStatus: "SUSPECT", Reasons: []string{"AMBIGUOUS_SHAPE"}, Labels: []table.LabelRow{{Field: "name", Text: "Over"}, {Field: "name", Text: "x"}, {Field: "NA", Text: "2"}}},
		}}
	const want = `{"market_id":"mk_a","market":"TOTAL_GOALS","market_name":"Goals Over/Under","period":"FT","sections":["goals","main"],"lines":["2.5"],` +
		`"origin_type":"MAPPED","derivation":{"version":"1"},"selection_count":2,"selections":[` +
		`{"selection_id":"sl_a","selection":"OVER","line":"2.5","qualifier":null,"odds":{"fractional":null,"decimal":1.90},"dimension":"GOALS","subject":null,"subject_2":null,"grid":null,` +
		`"quality":{"status":"OK","publishable":true,"reasons":[]},"provenance":{"provider_selection_id":"7","absent":["odds.fractional"]}},` +
		`{"selection_id":"sl_b","selection":null,"line":null,"qualifier":"3","odds":{"fractional":"11/10","decimal":null},"dimension":null,"subject":"HOME","subject_2":"AWAY","grid":{"row":"2","column":"1"},` +
		`"quality":{"status":"SUSPECT","publishable":false,"reasons":["AMBIGUOUS_SHAPE"]},"provenance":{"provider_selection_id":null,"labels":{"name":"Over","NA":"2"}}}` +
		`],"provenance":{"provider_market_ids":["981"]}}`
	if got := string(api.AppendMarket(nil, &row)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEventJSON(t *testing.T) {
	row := table.EventRow{Seq: 9007199254740993, Type: api.FixtureMarketsUpdated, FixtureID: "fx_a", PublishedAt: fetched.Add(7 * time.Millisecond),
		CycleID: "20261120T090700Z-market_engine", ProviderFixtureID: "1", ContentDigest: ptr("d")}
	const want = `{"seq":9007199254740993,"type":"fixture_markets_updated","fixture_id":"fx_a","published_at":"2026-11-20T09:07:00.007Z",` +
		`"cycle_id":"20261120T090700Z-market_engine","provenance":{"provider_fixture_id":"1"},"content_digest":"d"}`
	if got := string(api.AppendEvent(nil, &row)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Whatever text a provider sends, the JSON is valid and has the same text.
func TestTextRoundTrips(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, text string) {
		body := api.AppendFixture(nil, &table.FixtureRow{Home: &text})
		var out struct{ Home string }
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if want := string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD"))); utf8.ValidString(text) && out.Home != want {
			t.Fatalf("%q came back as %q", text, out.Home)
		}
	}
	for _, text := range []string{"", "\x00\x1f\x7f", "\r\n", "a\xffb", "\xe2\x80", "\u2028 \U0001F600", "</script>", "\uFFFD"} {
		check(t, text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, rapid.String().Draw(rt, "text"))
		check(rt, string(rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")))
	})
}

func TestNameForms(t *testing.T) {
	for s, want := range map[string]bool{"TOTAL_GOALS": true, "1H": true, "0-15": true, "": false, "total": false, "A'": false, "A B": false} {
		if api.IsName(s) != want {
			t.Errorf("IsName(%q) = %v", s, !want)
		}
	}
}
