package transform_test

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/transform/prematch"
)

// A trace of each fixture of a simulated cycle gives every selection that was written,
// and finds its price in the payload.
func TestTraceMarketsSimulated(t *testing.T) {
	seeds := []uint64{3, 4, 5}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		_, pages, sheets := simulated(t, seed, 80)
		w := world{pages: pages, sheets: sheets}
		if n := w.holdsEveryPrice(t); n < 5_000 {
			t.Errorf("seed %d: only %d prices", seed, n)
		}
	}
}

// TestTraceMarketsRecordings does the same with the recorded payloads.
func TestTraceMarketsRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(needs.Shared(t, "providers/betsapi/bet365-prematch"), "football_*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			must(t, err)
			id := fixtureIn(t, body)
			w := small(id + " " + string(body))
			if n := w.holdsEveryPrice(t); n < 250 {
				t.Errorf("only %d prices", n)
			}
		})
	}
}

// TestTraceMarketsByDay: the markets of a fixture are found in an answer that was not asked for
// by its name.
func TestTraceMarketsByDay(t *testing.T) {
	page := `{"get":"fixtures","parameters":{"date":"2026-11-22"},"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"fixture":{"id":7001,"timestamp":1795359600,` +
		`"status":{"short":"NS","elapsed":null}},"league":{"name":"League"},"teams":{"home":{"id":1,"name":"Home FC"},"away":{"id":2,"name":"Away FC"}}}]}`
	odds := func(id, price string) string {
		return `{"get":"odds","parameters":{"date":"2026-11-22","bookmaker":"8"},"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"fixture":{"id":` + id +
			`},"bookmakers":[{"id":8,"bets":[{"id":8,"name":"Both Teams Score","values":[{"value":"Yes","odd":"` + price + `"},{"value":"No","odd":"1.80"}]}]}]}]}`
	}
	query := url.Values{"date": {"2026-11-22"}, "bookmaker": {"8"}}
	w := world{pages: []provider.Payload{{Endpoint: "fixtures", Query: query, FetchedAt: began, Body: []byte(page)}},
		sheets: []provider.Payload{{Endpoint: "odds", Query: query, FetchedAt: began, Body: []byte(odds("7002", "9.00"))},
			{Endpoint: "odds", Query: query, FetchedAt: began, Body: []byte(odds("7001", "1.95"))}},
		edit: func(c *raw.Cycle) { c.Provider = apifootball.Name }}
	a, err := raw.Open(w.mem(t), cycleID)
	must(t, err)
	got, err := prematch.Trace(t.Context(), a, apifootball.Provider(), "7001")
	must(t, err)
	if got.NotOffered || got.Offered.Number != 3 || len(got.Markets) != 1 || got.Markets[0].Canonical != "BOTH_TEAMS_TO_SCORE" {
		t.Fatalf("%+v", got)
	}
	providertest.HoldsDigits(t, providertest.NewTree([]byte(odds("7001", "1.95"))), got.Offered.Trace, got.Markets[0].Selections[0].Place, "1.95")
}

// TestTraceMarketsAnsweredWithoutAny: a fixture that the provider answered for without any
// market has the time of that answer, as its row has, and not that of the list.
func TestTraceMarketsAnsweredWithoutAny(t *testing.T) {
	w := small("1")
	answered := began.Add(3 * time.Second)
	w.sheets = []provider.Payload{{Endpoint: "bet365/prematch", Query: url.Values{"FI": {"1"}}, FetchedAt: answered, Body: []byte(`{"success":1,"results":[{"FI":"1"}]}`)}}
	root := w.mem(t)
	_, err := run(root, root)
	must(t, err)
	written := rows[table.FixtureRow](t, root, layout.FixturesFile)
	a, err := raw.Open(root, cycleID)
	must(t, err)
	got, err := prematch.Trace(t.Context(), a, betsapi.Provider(), "1")
	must(t, err)
	if len(written) != 1 || !written[0].ProviderFetchedAt.Equal(answered) {
		t.Fatalf("written: %+v", written)
	}
	if !got.NotOffered || !got.Fixture.FetchedAt.Equal(answered) || got.Listed.Number == 0 || got.Offered.Number == 0 || got.Offered.Number == got.Listed.Number {
		t.Errorf("fetched at %v, listed in %d, answered in %d", got.Fixture.FetchedAt, got.Listed.Number, got.Offered.Number)
	}
}

// fixtureIn is the fixture that a payload is about.
func fixtureIn(t *testing.T, body []byte) string {
	t.Helper()
	sheet, err := betsapi.Provider().Markets.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
	if err != nil || len(sheet.Fixtures) != 1 {
		t.Fatalf("%d fixtures: %v", len(sheet.Fixtures), err)
	}
	return sheet.Fixtures[0].Fixture.ProviderFixtureID
}

// holdsEveryPrice transforms the world, and for every selection of every row in
// the tables finds the row's payload and the price in it. It returns how many prices
// there are.
func (w world) holdsEveryPrice(t *testing.T) (prices int) {
	t.Helper()
	mem := w.mem(t)
	_, err := run(mem, mem)
	must(t, err)
	a, err := raw.Open(mem, cycleID)
	must(t, err)
	markets := map[string][]table.MarketRow{}
	for _, m := range rows[table.MarketRow](t, mem, layout.MarketsFile) {
		markets[m.FixtureID] = append(markets[m.FixtureID], m)
	}
	trees := map[int]*providertest.Tree{}
	for _, f := range rows[table.FixtureRow](t, mem, layout.FixturesFile) {
		got, err := prematch.Trace(t.Context(), a, betsapi.Provider(), f.ProviderFixtureID)
		must(t, err)
		if len(got.Markets) != len(markets[f.FixtureID]) || got.Listed.Number == 0 || !got.Fixture.FetchedAt.Equal(f.ProviderFetchedAt) {
			t.Fatalf("fixture %s: %d markets, %d written; listed in %d, fetched %v", f.ProviderFixtureID, len(got.Markets),
				len(markets[f.FixtureID]), got.Listed.Number, got.Fixture.FetchedAt)
		}
		if got.NotOffered {
			continue
		}
		if trees[got.Offered.Number] == nil {
			body, err := a.Body(got.Offered.Response)
			must(t, err)
			trees[got.Offered.Number] = providertest.NewTree(body)
		}
		for _, written := range markets[f.FixtureID] {
			m := &got.Markets[written.Ordinal]
			for k, s := range written.Selections {
				for _, digits := range []*string{s.OddsDecimalText, s.OddsFractional} {
					if digits == nil {
						continue
					}
					prices++
					providertest.HoldsDigits(t, trees[got.Offered.Number], got.Offered.Trace, m.Selections[k].Place, *digits)
				}
			}
			again := canonical.Market(football.FixtureID(written.FixtureID), written.DerivationVersion, m)
			if len(again.Selections) != len(written.Selections) || again.ProviderMarketKey != written.ProviderMarketKey {
				t.Errorf("market %d of %s is %s, written as %s", written.Ordinal, f.ProviderFixtureID, again.ProviderMarketKey, written.ProviderMarketKey)
			}
		}
	}
	return prices
}
