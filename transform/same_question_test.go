package transform_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/feed"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/theoddsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestSameQuestion reads one fixture as each provider sends it. The prices are the same
// at all of them, so that each question must be found with equal words at one price.
func TestSameQuestion(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/same/questions.txtar")
	must(t, err)
	file := make(map[string][]byte)
	for _, f := range archive.Files {
		file[f.Name] = f.Data
	}
	questions := strings.Split(strings.TrimSpace(string(file["questions"])), "\n")
	for _, sender := range []struct {
		provider.Provider
		listing, prices string   // the endpoints
		notSold         []string // markets that the provider does not sell, with the period
	}{
		{Provider: betsapi.Provider(), listing: "bet365/upcoming", prices: "bet365/prematch"},
		{Provider: sportmonks.Provider(), listing: "fixtures/between", prices: "fixtures/multi"},
		{Provider: apifootball.Provider(), listing: "fixtures", prices: "odds"},
		{Provider: theoddsapi.Provider(), listing: "events", prices: "odds", notSold: []string{"HANDICAP_RESULT FT", "CORRECT_SCORE FT"}},
		{Provider: feed.Provider(feed.Simulated), listing: "fixtures", prices: "markets"},
	} {
		t.Run(sender.Name, func(t *testing.T) {
			l, err := sender.Provider.Markets.ReadListing([]provider.Payload{{Number: 1, Endpoint: sender.listing, Body: file[sender.Name+"/listing.json"]}})
			must(t, err)
			sheet, err := sender.Provider.Markets.ReadMarkets(provider.Payload{Number: 2, Endpoint: sender.prices, Body: file[sender.Name+"/markets.json"]}, l)
			must(t, err)
			if len(sheet.Fixtures) != 1 {
				t.Fatalf("%d fixtures, want one", len(sheet.Fixtures))
			}
			got := make(map[string]bool)
			for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, sender.Name), sheet.Fixtures[0].Fixture, sheet.Fixtures[0].Offers) {
				for i := range m.Selections {
					got[questionOf(&m, &m.Selections[i])] = true
				}
			}
			want := make(map[string]bool)
			for _, q := range questions {
				if parts := strings.Fields(q); !slices.Contains(sender.notSold, parts[0]+" "+parts[1]) {
					want[q] = true
				}
			}
			for _, market := range sender.notSold {
				if !slices.ContainsFunc(questions, func(q string) bool { return strings.HasPrefix(q, market+" ") }) {
					t.Errorf("notSold has %s, which is in no question", market)
				}
			}
			for _, q := range slices.Sorted(maps.Keys(want)) {
				if !got[q] {
					t.Errorf("missing: %s", q)
				}
			}
			for _, q := range slices.Sorted(maps.Keys(got)) {
				if !want[q] {
					t.Errorf("read, and not asked: %s", q)
				}
			}
		})
	}
}

// questionOf writes a selection's question in canonical words, and its price as a number
// with two decimal places.
func questionOf(m *football.Market, s *football.Selection) string {
	if m.Origin != football.Mapped || !s.Quality.Publishable {
		return fmt.Sprint("not publishable: ", m.Key, " ", m.RawReason, " ", s.Selection, " ", s.Quality.Reasons)
	}
	words := []string{m.Canonical, m.Period, s.Selection}
	for _, part := range []struct{ name, text string }{{"line", s.Line}, {"subject", s.Subject}, {"qualifier", s.Qualifier}} {
		if part.text != "" {
			words = append(words, part.name, part.text)
		}
	}
	decimal := s.Odds.Decimal().Or("")
	if point := strings.IndexByte(decimal, '.'); len(decimal)-point == len(".000") {
		decimal = strings.TrimSuffix(decimal, "0")
	}
	return strings.Join(append(words, decimal), " ")
}
