package transform_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
)

// TestSimulatedWorldIsNotSuspicious: nothing in the simulated answers of BetsAPI is
// suspicious, and the manifest of a cycle says so.
func TestSimulatedWorldIsNotSuspicious(t *testing.T) {
	adapter, pages, sheets := simulated(t, 1, 60)
	listing, err := adapter.ReadListing(pages)
	must(t, err)
	d := markets.New(identity.NewMinter(identity.Key{1}, "betsapi"))
	var s suspicion.Detector
	for _, p := range sheets {
		sheet, err := adapter.ReadMarkets(p, listing)
		must(t, err)
		for i := range sheet.Fixtures {
			f := &sheet.Fixtures[i]
			s.Look(d.Derive(&f.Fixture, f.Offers), func(kind suspicion.Kind, m *football.Market, seen string) {
				t.Errorf("%s: %s %s %s (%s): %s", f.Fixture.ProviderFixtureID, kind, m.Canonical, m.Period, m.Key, seen)
			})
		}
	}
	mem := world{pages: pages, sheets: sheets}.mem(t)
	_, err = run(mem, mem)
	must(t, err)
	m, _, err := snapshot.OpenCanonical(mem, cycleID)
	must(t, err)
	for _, name := range []string{"suspicions", "suspicions:extra_selection", "suspicions:lines_out_of_order", "suspicions:unmirrored_handicap", "suspicions:swapped_labels",
		"suspicions:odd_margin", "suspicions:other_favourite", "suspicions:unproven_total"} {
		if n, counted := m.Counters[name]; !counted || n != 0 {
			t.Errorf("%s: %d, counted %v", name, n, counted)
		}
	}
}

// TestChangedPayloadsAreSuspicious reads one fixture as each provider sends it, which has
// nothing suspicious, and again after a part of the payload was changed.
func TestChangedPayloadsAreSuspicious(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/same/questions.txtar")
	must(t, err)
	file := make(map[string]string)
	for _, f := range archive.Files {
		file[f.Name] = string(f.Data)
	}
	for name, changes := range map[string]map[string][]string{
		"betsapi": {
			"other_favourite":     {`"odds":"1.90","name":"1"`, `"odds":"4.20","name":"1"`, `"odds":"4.20","name":"2"`, `"odds":"1.90","name":"2"`},
			"odd_margin":          {`"odds":"1.75","name":"Yes"`, `"odds":"3.50","name":"Yes"`},
			"unmirrored_handicap": {`"header":"2","name":"+0.5, +1.0"`, `"header":"2","name":"-0.5, -1.0"`},
			"swapped_labels":      {`"header":"1","name":"2-1"`, `"header":"2","name":"2-1"`, `"header":"2","name":"2-1"`, `"header":"1","name":"2-1"`},
			"extra_selection":     {`{"id":"8","odds":"2.00","name":"No"}`, `{"id":"8","odds":"2.00","name":"No"},{"id":"80","odds":"30.00","name":"Maybe"}`},
		},
		"sportmonks": {
			"other_favourite": {`"id": 500001, "fixture_id": 9001, "market_id": 1, "bookmaker_id": 2, "label": "Home"`, `"id": 500001, "fixture_id": 9001, "market_id": 1, "bookmaker_id": 2, "label": "Away"`, `"id": 500003, "fixture_id": 9001, "market_id": 1, "bookmaker_id": 2, "label": "Away"`, `"id": 500003, "fixture_id": 9001, "market_id": 1, "bookmaker_id": 2, "label": "Home"`},
			"odd_margin":      {`"label": "Yes", "value": "1.75"`, `"label": "Yes", "value": "3.50"`, `"market_description": "Both Teams to Score", "dp3": "1.750"`, `"market_description": "Both Teams to Score", "dp3": "3.500"`},
			// Without mirrored lines no sign is proven: the handicap stays RAW.
			"swapped_labels": {`"label": "1", "value": "8.50"`, `"label": "2", "value": "8.50"`, `"label": "2", "value": "15.00"`, `"label": "1", "value": "15.00"`},
		},
		"apifootball": {
			"other_favourite":     {`{"value": "Home", "odd": "1.90"}`, `{"value": "Home", "odd": "4.20"}`, `{"value": "Away", "odd": "4.20"}`, `{"value": "Away", "odd": "1.90"}`},
			"odd_margin":          {`{"value": "Yes", "odd": "1.75"}`, `{"value": "Yes", "odd": "3.50"}`},
			"unmirrored_handicap": {`"Home +0"`, `"Home -2"`},
			"swapped_labels":      {`"Over 2.5"`, `"Under 2.5"`, `"Under 2.5"`, `"Over 2.5"`, `"Over 2.25"`, `"Under 2.25"`, `"Under 2.25"`, `"Over 2.25"`},
		},
		"theoddsapi": {
			"other_favourite":     {`{"name": "Vik United", "price": 4.20}, {"name": "Halden Rovers", "price": 1.90}`, `{"name": "Vik United", "price": 1.90}, {"name": "Halden Rovers", "price": 4.20}`},
			"odd_margin":          {`{"name": "Yes", "price": 1.75}`, `{"name": "Yes", "price": 3.50}`},
			"unmirrored_handicap": {`"price": 1.75, "point": 0.75`, `"price": 1.75, "point": -0.75`},
			"extra_selection":     {`{"name": "No", "price": 2.00}`, `{"name": "No", "price": 2.00}, {"name": "Maybe", "price": 30.0}`},
		},
		"feed:simulated": { // labels that contradict a claim make it RAW
			"other_favourite": {`"decimal": "1.90"}, "claim": {"selection": "HOME"}`, `"decimal": "4.20"}, "claim": {"selection": "HOME"}`, `"decimal": "4.20"}, "claim": {"selection": "AWAY"}`, `"decimal": "1.90"}, "claim": {"selection": "AWAY"}`},
			"odd_margin":      {`"decimal": "1.75"}, "claim": {"selection": "YES"}`, `"decimal": "3.50"}, "claim": {"selection": "YES"}`},
			"swapped_labels":  {`{"selection": "2-1"}`, `{"selection": "1-2"}`, `{"selection": "1-2"}`, `{"selection": "2-1"}`, `"navn": "2-1"`, `"navn": "HHB"`, `"navn": "1-2"`, `"navn": "BBH"`},
			"extra_selection": {`"claim": {"selection": "NO"}}`, `"claim": {"selection": "NO"}}, {"labels": {"navn": "Kanskje"}, "odds": {"decimal": "30.00"}}`},
		},
	} {
		changes[""] = nil
		p, _ := all.Lookup(name)
		listing, prices := p.Recorded([]byte(file[name+"/listing.json"])), p.Recorded([]byte(file[name+"/markets.json"]))
		l, err := p.Markets.ReadListing([]provider.Payload{{Number: 1, Endpoint: listing.Endpoint, Body: listing.Body}})
		must(t, err)
		for kind, texts := range changes {
			for i := 0; i < len(texts); i += 2 {
				if !strings.Contains(string(prices.Body), texts[i]) {
					t.Fatalf("%s, %s: the payload has no %s", name, kind, texts[i])
				}
			}
			body := []byte(strings.NewReplacer(texts...).Replace(string(prices.Body)))
			sheet, err := p.Markets.ReadMarkets(provider.Payload{Number: 2, Endpoint: prices.Endpoint, Body: body}, l)
			must(t, err)
			seen := map[string]int{}
			for i := range sheet.Fixtures {
				f := &sheet.Fixtures[i]
				new(suspicion.Detector).Look(markets.Derive(identity.NewMinter(identity.Key{1}, name), f.Fixture, f.Offers), func(kind suspicion.Kind, _ *football.Market, _ string) { seen[kind.String()]++ })
			}
			if kind == "" && len(seen) > 0 || kind != "" && seen[kind] == 0 {
				t.Errorf("%s, changed to be %q: %v", name, kind, seen)
			}
		}
	}
}

// BenchmarkSuspicions shows the cost of looking for suspicions, beside BenchmarkReadAndDerive on
// the same fixtures.
func BenchmarkSuspicions(b *testing.B) {
	adapter, pages, sheets := simulated(b, 1, 100)
	listing, err := adapter.ReadListing(pages)
	must(b, err)
	var all [][]football.Market
	for _, p := range sheets {
		var sheet provider.Sheet
		sheet, err = adapter.ReadMarkets(p, listing)
		must(b, err)
		for i := range sheet.Fixtures {
			all = append(all, markets.Derive(identity.NewMinter(identity.Key{1}, "betsapi"), sheet.Fixtures[i].Fixture, sheet.Fixtures[i].Offers))
		}
	}
	b.ReportAllocs()
	var s suspicion.Detector
	for b.Loop() {
		for _, of := range all {
			s.Look(of, nil)
		}
	}
}
