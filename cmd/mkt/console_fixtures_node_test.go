package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli/demo"
)

// askAPI decodes an answer of the demo's API, for its first account.
func askAPI(t *testing.T, ready demo.Ready, path string, into any) {
	t.Helper()
	if status := mustDecode(t, ready.BaseURL+path, ready.Tenants[0].Token, into); status != http.StatusOK {
		t.Fatalf("%s: status %d", path, status)
	}
}

// fixturePages opens the list of fixtures, a fixture, a market and an explanation, and compares
// the prices with those of the API.
func fixturePages(t *testing.T, ready demo.Ready) {
	type fixture struct {
		ID    string  `json:"fixture_id"`
		Home  *string `json:"home"`
		Away  *string `json:"away"`
		Count int     `json:"market_count"`
	}
	var fixtures struct{ Data []fixture }
	askAPI(t, ready, "/api/v1/fixtures?limit=200", &fixtures)
	var market apiMarket
	at := slices.IndexFunc(fixtures.Data, func(f fixture) bool {
		if f.Count <= 20 || f.Home == nil || f.Away == nil {
			return false
		}
		var found bool
		market, found = matchResult(t, ready, f.ID)
		return found
	})
	if at < 0 {
		t.Fatal("the demo has no fixture with the prices of a match result")
	}
	f := fixtures.Data[at]
	list := "/fixtures/" + ready.Tenants[0].ClientID
	pages := browse(t, ready.ConsoleURL,
		browserPage{Path: list, Shot: "fixtures", Texts: map[string]string{"names": "#results tbody a"}},
		browserPage{Path: list, Phone: true, Shot: "fixtures-search", Do: [][]any{{"pressSequentially", "[name=q]", strings.ToUpper(*f.Home)}, {"pause", 1000}}, Texts: map[string]string{"names": "#results tbody a"}},
		browserPage{Path: list + "?q=no+such+team", Texts: map[string]string{"said": "#results"}},
		browserPage{Path: list + "/" + f.ID, Shot: "fixture", Texts: map[string]string{"title": "h1", "groups": "h2", "prices": ".odds a"}},
		browserPage{Path: list + "/" + f.ID, Phone: true, Dark: true, Shot: "fixture-phone"},
		browserPage{Path: list + "/" + f.ID, Shot: "copied", Do: [][]any{{"press", ".facts .copy", "Enter"}, {"see", "[role=status]:has-text('Copied " + f.ID + "')"},
			{"click", "nav a:has-text('Fixtures')"}, {"press", "form[data-search] [name=q]", "ControlOrMeta+V"}, {"see", "#results:has-text('1 of')"}}, Texts: map[string]string{"names": "#results tbody a"}},
	)
	name := *f.Home + " – " + *f.Away
	if names := pages[1].Texts["names"]; !slices.Contains(names, name) || len(names) > len(pages[0].Texts["names"]) {
		t.Errorf("a search for %q found %q", *f.Home, names)
	}
	if said := pages[2].Texts["said"]; len(said) != 1 || !strings.Contains(said[0], "No fixture of the newest publication matches") {
		t.Errorf("a search without a result says %q", said)
	}
	if names := pages[5].Texts["names"]; !slices.Equal(names, []string{name}) {
		t.Errorf("a search for the copied id of %s found %q", name, names)
	}
	if got := pages[3].Texts; got["title"][0] != name || !slices.Contains(got["groups"], "Main") {
		t.Errorf("the page of %s has the title %q and the groups %q", name, got["title"], got["groups"])
	}
	marketPages(t, ready, list+"/"+f.ID+"/"+market.ID, market)
}

type apiMarket struct {
	ID         string  `json:"market_id"`
	Market     *string `json:"market"`
	Period     *string `json:"period"`
	Selections []struct {
		Odds struct {
			Decimal json.Number `json:"decimal"`
		}
	}
}

// matchResult returns the match result of a fixture, if each selection has a price.
func matchResult(t *testing.T, ready demo.Ready, fixture string) (m apiMarket, found bool) {
	var markets struct{ Data []apiMarket }
	askAPI(t, ready, "/api/v1/fixtures/"+fixture+"/markets?limit=200&market=MATCH_RESULT", &markets)
	for _, m := range markets.Data {
		if m.Market == nil || *m.Market != "MATCH_RESULT" || *m.Period != "FT" {
			continue
		}
		priced := len(m.Selections) > 0
		for _, s := range m.Selections {
			priced = priced && s.Odds.Decimal != ""
		}
		return m, priced
	}
	return m, false
}

func marketPages(t *testing.T, ready demo.Ready, page string, m apiMarket) {
	seen := browse(t, ready.ConsoleURL,
		browserPage{Path: page, Shot: "market", Texts: map[string]string{"title": "h1", "current": "table.prices td:nth-child(2) a:nth-of-type(1)", "curves": "figure.prices path.price"}},
		browserPage{Path: page, Phone: true, Dark: true, Shot: "market-phone", Within: "table.prices td:nth-child(2) a, table.steps td:nth-child(2), figure.prices .now"},
		browserPage{Path: page, Do: [][]any{{"click", "table.prices td:nth-child(2) a"}, {"see", "dd .strong"}}, Shot: "explain", Texts: map[string]string{"values": "dd .strong", "paths": "dd dl code"}},
	)
	var want []string
	for _, s := range m.Selections {
		want = append(want, s.Odds.Decimal.String())
	}
	if got := seen[0].Texts["current"]; !slices.Equal(got, want) {
		t.Errorf("the page of the market has the prices %q, the API %q", got, want)
	}
	if len(seen[0].Texts["curves"]) < len(want) {
		t.Errorf("%d prices have %d curves", len(want), len(seen[0].Texts["curves"]))
	}
	if got := seen[2].Texts; !slices.Contains(got["values"], want[0]) || len(got["paths"]) == 0 {
		t.Errorf("the explanation of %s has the values %q from %q", want[0], got["values"], got["paths"])
	}
}
