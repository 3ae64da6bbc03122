package serve_test

import (
	"net/url"
	"strings"
	"testing"

	"mkt/internal/testing/servetest"
)

// A market by its canonical name: ?period= and ?subject= filter, empty ones count as absent,
// and if nothing matches, the answer is MARKET_NOT_FOUND.
func TestMarketByNameNarrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	fixture := servetest.Sample("acme", 0, 6, 1) // market 1 is TOTAL_GOALS of the first half
	player := strings.Repeat("Zoë O'Neill & Sons ", 5)
	for i, subject := range []string{"HOME", "AWAY", player} {
		m := &fixture.Markets[i]
		m.Market, m.Period = fixture.Markets[1].Market, fixture.Markets[1].Period
		for s := range m.Selections {
			m.Selections[s].Subject = &subject
		}
	}
	fixture.Markets[0].MarketID += "~aaaaaaaa"
	w.root("acme").Publish(servetest.Content{Fixtures: []servetest.Fixture{fixture}})
	w.fetched("acme")
	w.start()
	path := "/fixtures/" + fixture.Row.FixtureID + "/markets/"
	id := fixture.Markets[1].MarketID
	for query, want := range map[string]string{
		"":                                     "Market 1 v1", // the bare id before the suffixed one
		"?subject=":                            "Market 1 v1",
		"?period=&subject=":                    "Market 1 v1",
		"?subject=HOME":                        "Market 0 v1",
		"?subject=%48OME&period=1H":            "Market 0 v1",
		"?subject=AWAY":                        "Market 1 v1",
		"?subject=HOME&other=AWAY":             "Market 0 v1",
		"?subject=" + escaped(player):          "Market 2 v1",
		"?subject=" + escaped(player)[1:]:      "MARKET_NOT_FOUND",
		"?subject=home":                        "MARKET_NOT_FOUND",
		"?subject=HOME&period=FT":              "MARKET_NOT_FOUND",
		"?subject=%20":                         "MARKET_NOT_FOUND",
		"?period=NO_SUCH_PERIOD":               "MARKET_NOT_FOUND",
		"?period=first%20half":                 "INVALID_PARAMETER",
		"?subject=a%00b":                       "INVALID_PARAMETER",
		"?subject=%ff":                         "INVALID_PARAMETER",
		"?subject=" + strings.Repeat("x", 201): "INVALID_PARAMETER",
		"?subject=HOME&subject=HOME":           "BAD_REQUEST",
		"?subject=HOME&subject=":               "BAD_REQUEST",
	} {
		if r := w.get(path+"TOTAL_GOALS"+query, "acme"); r.code() != want && !strings.Contains(r.body, `"market_name":"`+want+`"`) {
			t.Errorf("%s: %d %.200s, want %s", query, r.status, r.body, want)
		}
		// An id identifies one market, so period and subject have no effect.
		if r := w.get(path+id+query, "acme"); r.status == 404 || r.status == 200 && !strings.Contains(r.body, id) {
			t.Errorf("by id, %s: %d %.200s", query, r.status, r.body)
		}
	}
}

func escaped(s string) string { return url.QueryEscape(s) }
