package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestSportmonksForms: every market of the table is one that the engine has a form for.
func TestSportmonksForms(t *testing.T) {
	var rows []string
	want := 0 // rules that read a market by its id
	for _, l := range sportmonks.Provider().Table().Lines() {
		if l.By != "key" || l.Match != l.Entry.Key { // a row of a question mark is no line
			continue
		}
		rows = append(rows, fmt.Sprintf(`{"id":%d,"fixture_id":1,"market_id":%s,"bookmaker_id":2,"label":"?"}`, len(rows)+1, l.Match))
		if l.Entry.Reading != nil {
			want++
		}
	}
	p := provider.Payload{Endpoint: "odds/pre-match/fixtures", Body: []byte(`{"data":[` + strings.Join(rows, ",") + `]}`)}
	sheet, err := sportmonks.Provider().Markets.ReadMarkets(p, provider.Listing{})
	if err != nil || len(sheet.Fixtures) != 1 || len(sheet.Fixtures[0].Offers) != len(rows) {
		t.Fatalf("%v, %+v", err, sheet.Met)
	}
	mapped := 0
	for _, o := range sheet.Fixtures[0].Offers {
		if o.Reading == nil {
			continue
		}
		mapped++
		fixture := football.Fixture{Home: football.Of("Entente"), Away: football.Of("Beaulieu")}
		for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, sportmonks.Name), fixture, []input.Offer{o}) {
			if m.RawReason == football.NeverMapped {
				t.Errorf("%s: the engine cannot read %s %s", o.Reading.Rule, o.Reading.Market, o.Reading.Period)
			}
		}
	}
	if mapped != want || want == 0 {
		t.Errorf("%d markets have a reading, of %d rules", mapped, want)
	}
}
