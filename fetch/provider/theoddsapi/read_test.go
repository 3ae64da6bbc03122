package theoddsapi_test

import (
	"flag"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = theoddsapi.Provider().Markets

var fetchedAt = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// payload is one payload of a golden: its name has its kind and, behind a dash,
// the bookmaker in the query.
func payload(f txtar.File) provider.Payload {
	name, maker, _ := strings.Cut(strings.TrimSuffix(f.Name, ".json"), "-")
	p := provider.Payload{FetchedAt: fetchedAt, Body: f.Data}
	switch strings.TrimRight(name, "0123456789") {
	case "sports":
		p.Endpoint = "sports"
	case "events":
		p.Endpoint = "events"
	case "odds":
		p.Endpoint = "odds"
	case "eventodds":
		p.Endpoint = "event/odds"
	}
	if maker != "" {
		p.Query = url.Values{"bookmakers": {maker}}
	}
	return p
}

const goldens = "testdata/read/*.txtar"

// TestGoldens reads the payloads of testdata/read and compares the results.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}

// A list of something else is an error.
func TestOtherList(t *testing.T) {
	if _, err := adapter.ReadListing([]provider.Payload{{Body: []byte(`[{"key":"a"},{"key":"b"}]`)}}); err == nil {
		t.Error("a list of something else: no error")
	}
}

// A fixture that the request did not name is left out.
func TestNotAskedFor(t *testing.T) {
	p := provider.Payload{Query: url.Values{"eventIds": {"a3,a1"}}, Body: []byte(`[{"id":"a1","bookmakers":[]},{"id":"a2","bookmakers":[]},{"id":"a3","bookmakers":[]}]`)}
	s, err := adapter.ReadMarkets(p, provider.Listing{})
	if err != nil || len(s.Fixtures) != 2 || s.Skipped["fixture not asked for"] != 1 {
		t.Errorf("%v, %d fixtures, skipped %v", err, len(s.Fixtures), s.Skipped)
	}
}

// A sport that is no text is damage, and no proof of another sport: such a fixture is kept.
func TestSportThatIsNoText(t *testing.T) {
	page := provider.Payload{Endpoint: "events", Body: []byte(`[{"id":"a1","sport_key":17},{"id":"a2","sport_key":["basketball_nba"]},{"id":"a3","sport_key":null},
		{"id":"a4"},{"id":"a5","sport_key":"soccer_x"},{"id":"a6","sport_key":"basketball_nba"}]`)}
	l, err := adapter.ReadListing([]provider.Payload{page})
	if _, other := l.Fixtures["a6"]; err != nil || other || len(l.Fixtures) != 5 || l.Damaged["fixture: sport_key is no text"] != 2 {
		t.Errorf("%v: %v, damaged %v, filtered %v", err, l.Fixtures, l.Damaged, l.Filtered)
	}
}
