package emulators_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

// recordings are payloads in the shapes that the folders of recordings have.
var recordings = map[string]map[string]string{
	"sportmonks": {
		"fixtures_by_date/page_1.json": `{"data":[{"id":11,"sport_id":1,"state_id":5,"name":"A vs B","starting_at":"2022-07-24 12:00:00","has_odds":true,"starting_at_timestamp":1658664000}]}`,
		"livescores_inplay/page_1.json": `{"data":[{"id":12,"sport_id":1,"state_id":1,"name":"C vs D","starting_at":"2025-11-10 10:30:00","has_odds":false,"starting_at_timestamp":1762770600},
			{"id":13,"sport_id":1,"state_id":3,"name":"E vs F","starting_at":"2025-11-10 09:00:00","has_odds":false,"starting_at_timestamp":1762765200}]}`,
		"fixture_by_id_with_odds/fixture_14.json": `{"id":14,"sport_id":1,"state_id":5,"starting_at":"2025-12-10 17:00:00","has_odds":true,"starting_at_timestamp":1765386000,
			"participants":[{"id":1,"name":"Home","meta":{"location":"home"}},{"id":2,"name":"Away","meta":{"location":"away"}}],
			"odds":[{"id":1,"fixture_id":14,"market_id":1,"bookmaker_id":2,"label":"Home","value":"1.72","dp3":"1.727","name":"Home","market_description":"Fulltime Result","stopped":false,"total":null,"handicap":null},
				{"id":2,"fixture_id":14,"market_id":1,"bookmaker_id":3,"label":"Home","value":"1.80","dp3":"1.800","name":"Home","market_description":"","stopped":false,"total":null,"handicap":null}]}`,
		"odds_prematch_by_fixture/fixture_15.json": `{"data":[{"id":3,"fixture_id":15,"market_id":1,"bookmaker_id":2,"label":"1","value":"1.54","dp3":"1.540","name":"1","market_description":"Fulltime Result","stopped":false,"total":null,"handicap":null}]}`,
		"odds_markets/page_1.json":                 `{"data":[]}`,
	},
	"apifootball": {
		"fixtures/league.json": `{"get":"fixtures","parameters":[],"errors":[],"results":3,"paging":{"current":1,"total":1},"response":[
			{"fixture":{"id":21,"timezone":"UTC","date":"2026-01-02T17:00:00+00:00","timestamp":1767373200,"status":{"long":"Match Finished","short":"FT","elapsed":90}},"league":{"name":"L"},"teams":{"home":{"id":1,"name":"A"},"away":{"id":2,"name":"B"}},"goals":{"home":1,"away":0}},
			{"fixture":{"id":22,"timezone":"UTC","date":"2026-01-03T17:00:00+00:00","timestamp":1767459600,"status":{"long":"First Half","short":"1H","elapsed":45,"extra":1}},"league":{"name":"L"},"teams":{"home":{"id":3,"name":"C"},"away":{"id":4,"name":"D"}},"goals":{"home":0,"away":0}},
			{"fixture":{"id":23,"timezone":"UTC","date":"2026-01-04T11:30:00+00:00","timestamp":1767526200,"status":{"long":"Not Started","short":"NS","elapsed":null}},"league":{"name":"L"},"teams":{"home":{"id":5,"name":"E"},"away":{"id":6,"name":"F"}},"goals":{"home":null,"away":null}}]}`,
		"odds/fixture_23.json": `{"get":"odds","parameters":{"fixture":"23"},"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"league":{"id":1,"name":"L"},"fixture":{"id":23,"timezone":"UTC","date":"2026-01-04T11:30:00+00:00","timestamp":1767526200},"update":"2026-01-04T08:00:38+00:00",
			"bookmakers":[{"id":8,"name":"Bet365","bets":[{"id":8,"name":"Both Teams Score","values":[{"value":"Yes","odd":"1.90"},{"value":"No","odd":"1.80"}]}]},{"id":6,"name":"Bwin","bets":[]}]}]}`,
		"odds/fixture_24.json": `{"get":"odds","parameters":{"fixture":"24"},"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"league":{"id":1,"name":"L"},"fixture":{"id":24,"timezone":"UTC","date":"2020-05-15T15:00:00+00:00","timestamp":1589554800},"update":"2020-05-15T09:49:32+00:00",
			"bookmakers":[{"id":8,"name":"Bet365","bets":[{"id":8,"name":"Both Teams Score","values":[{"value":"Yes","odd":"2.10"}]}]}]}]}`,
		"errors/some.json": `{"errors":{"token":"x"}}`,
	},
	"theoddsapi": {
		"sports/all.json":           `[{"key":"soccer_epl","group":"Soccer","title":"EPL","description":"","active":true,"has_outrights":false},{"key":"golf","group":"Golf","title":"G","description":"","active":true,"has_outrights":false}]`,
		"events/soccer_epl.json":    `[{"id":"5a2fa066190fb45e3934bbe943d5f56e","sport_key":"soccer_epl","sport_title":"EPL","commence_time":"2025-11-28T19:30:00Z","home_team":"A","away_team":"B"}]`,
		"odds/other_20260619.json":  `[{"id":"065b3573e875f8d23803357f73e5b99e","sport_key":"soccer_cup","sport_title":"Cup","commence_time":"2026-06-19T19:00:00Z","home_team":"C","away_team":"D","bookmakers":[{"key":"pinnacle","title":"Pinnacle","last_update":"2026-06-19T12:00:00Z","markets":[{"key":"h2h","outcomes":[{"name":"C","price":2.10},{"name":"D","price":3.4},{"name":"Draw","price":3.3}]}]},{"key":"other","title":"O","markets":[]}]}]`,
		"event_odds/one_event.json": `{"id":"5a2fa066190fb45e3934bbe943d5f56e","sport_key":"soccer_epl","sport_title":"EPL","commence_time":"2025-11-28T19:30:00Z","home_team":"A","away_team":"B","bookmakers":[{"key":"pinnacle","title":"Pinnacle","last_update":"2025-11-28T12:00:00Z","markets":[{"key":"h2h","outcomes":[{"name":"A","price":2.5},{"name":"B","price":2.9},{"name":"Draw","price":3.1}]},{"key":"player_shots","outcomes":[]}]}]}`,
	},
}

// TestReplay: fixtures still to be played are listed for tomorrow, with the prices of the
// requested bookmaker, and the rest is as it was recorded.
func TestReplay(t *testing.T) {
	for name, want := range map[string]struct{ fixtures, prices, playing string }{
		"sportmonks":  {"12 10:30, 14 17:00, 15 15:00", "14 1.727, 15 1.540", "12 0, 13 1"},
		"apifootball": {"23 11:30, 24 15:00", "23 1.80, 23 1.90, 24 2.10", "22 1"},
		"theoddsapi":  {"065b3573e875f8d23803357f73e5b99e 19:00, 5a2fa066190fb45e3934bbe943d5f56e 19:30", "065b 2.10, 065b 3.3, 065b 3.4, 5a2f 2.5, 5a2f 2.9, 5a2f 3.1", ""},
	} {
		dir := t.TempDir()
		for file, body := range recordings[name] {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		noon := func() time.Time { return providertest.Noon }
		sim, err := emulators.New(name, simulator.Options{Replay: dir, Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := all.Lookup(name)
		x := &providertest.Exchange{Adapter: p, Handler: sim, Token: sim.Tokens()[0], Clock: noon}
		asked, err := p.Markets.Ask(t.Context(), x)
		if err != nil || !asked.ListingComplete || len(asked.Failed) > 0 {
			t.Fatalf("%s: %+v, %v", name, asked, err)
		}
		var pages []provider.Payload
		var fixtures, prices []string
		for _, p2 := range x.Kept {
			if p.Markets.IsListing(p2.Endpoint) {
				pages = append(pages, p2)
			}
		}
		listing, err := p.Markets.ReadListing(pages)
		if err != nil {
			t.Fatal(err)
		}
		for id, f := range listing.Fixtures {
			at := f.StartsAt.Or(time.Time{})
			if at.Sub(providertest.Noon.Truncate(24*time.Hour)) < 24*time.Hour || at.Sub(providertest.Noon.Truncate(24*time.Hour)) >= 48*time.Hour {
				t.Errorf("%s: %s starts at %v", name, id, at)
			}
			fixtures = append(fixtures, id+at.Format(" 15:04"))
		}
		for _, answer := range x.Kept {
			if !p.Markets.IsMarkets(answer.Endpoint) {
				continue
			}
			sheet, err := p.Markets.ReadMarkets(answer, listing)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range sheet.Fixtures {
				for _, o := range f.Offers {
					for _, row := range o.Rows {
						prices = append(prices, f.Fixture.ProviderFixtureID[:min(4, len(f.Fixture.ProviderFixtureID))]+" "+row.Decimal.Or(""))
					}
				}
			}
		}
		slices.Sort(fixtures)
		slices.Sort(prices)
		if got := strings.Join(fixtures, ", "); got != want.fixtures {
			t.Errorf("%s: fixtures %s, want %s", name, got, want.fixtures)
		}
		if got := strings.Join(slices.Compact(prices), ", "); got != want.prices {
			t.Errorf("%s: prices %s, want %s", name, got, want.prices)
		}
		if p.Live == nil {
			continue
		}
		x.Kept = nil
		if _, err := p.Live.Ask(t.Context(), x, ""); err != nil {
			t.Fatal(err)
		}
		live, err := p.Live.ReadList(x.Kept[:1])
		if err != nil {
			t.Fatal(err)
		}
		var playing []string
		for i := range live.Samples {
			playing = append(playing, fmt.Sprint(live.Samples[i].ProviderFixtureID, " ", live.Samples[i].Status))
		}
		if got := strings.Join(playing, ", "); got != want.playing {
			t.Errorf("%s: in play %s, want %s", name, got, want.playing)
		}
	}
}

// TestReplayNamesWhatIsWrong: a folder that cannot be served is refused, with the file.
func TestReplayNamesWhatIsWrong(t *testing.T) {
	for name, file := range map[string]string{"betsapi": "bet365-prematch/bad.json", "sportmonks": "fixtures_by_date/bad.json", "apifootball": "fixtures/bad.json", "theoddsapi": "odds/bad.json"} {
		if _, err := emulators.New(name, simulator.Options{Replay: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no payloads") {
			t.Errorf("%s: an empty folder: %v", name, err)
		}
		for _, body := range []string{`{`, `{"response":[{}],"data":[{}]}`, `[{}]`} {
			dir := t.TempDir()
			path := filepath.Join(dir, file)
			os.MkdirAll(filepath.Dir(path), 0o755)
			os.WriteFile(path, []byte(body), 0o644)
			if _, err := emulators.New(name, simulator.Options{Replay: dir}); err == nil || !strings.Contains(err.Error(), "bad.json") {
				t.Errorf("%s: %s: %v", name, body, err)
			}
		}
		dir := t.TempDir()
		os.MkdirAll(filepath.Join(dir, "unknown"), 0o755)
		os.WriteFile(filepath.Join(dir, "unknown", "x.json"), []byte(`[]`), 0o644)
		// BetsAPI's serves every endpoint that was recorded.
		if _, err := emulators.New(name, simulator.Options{Replay: dir}); name != "betsapi" && (err == nil || !strings.Contains(err.Error(), "want folders such as")) {
			t.Errorf("%s: unknown folders: %v", name, err)
		}
		if _, err := emulators.New(name, simulator.Options{Replay: dir, Faults: []simulator.Fault{{Kind: simulator.Stall, Rate: 1}}}); err == nil {
			t.Errorf("%s: a fault of matches in play is accepted", name)
		}
	}
}
