package transform_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/raw"
	"mkt/internal/needs"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// A trace of each fixture of a simulated cycle has every selection that was written, with
// the place of its price in the payload.
func TestTraceMarketsSimulated(t *testing.T) {
	seeds := []uint64{3, 4, 5}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		w := simulatedWorld(t, seed)
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

func fixtureIn(t *testing.T, body []byte) string {
	t.Helper()
	sheet, err := betsapi.Provider().Markets.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
	if err != nil || len(sheet.Fixtures) != 1 {
		t.Fatalf("%d fixtures: %v", len(sheet.Fixtures), err)
	}
	return sheet.Fixtures[0].Fixture.ProviderFixtureID
}

// holdsEveryPrice transforms the world, and finds the payload and the price of every
// selection in the tables. It returns the number of prices.
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
		got, err := transform.TraceMarkets(t.Context(), a, betsapi.Provider(), f.ProviderFixtureID)
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
			again := table.MarketOf(football.FixtureID(written.FixtureID), written.DerivationVersion, m)
			if len(again.Selections) != len(written.Selections) || again.ProviderMarketKey != written.ProviderMarketKey {
				t.Errorf("market %d of %s is %s, written as %s", written.Ordinal, f.ProviderFixtureID, again.ProviderMarketKey, written.ProviderMarketKey)
			}
		}
	}
	return prices
}

func simulatedWorld(t *testing.T, seed uint64) (w world) {
	c := newComparison(t, seed)
	ids := []string{}
	for n := 1; n <= 2; n++ {
		page := c.payload("bet365/upcoming", "/v1/bet365/upcoming?sport_id=1&page="+string(rune('0'+n)))
		page.FetchedAt = began
		w.pages = append(w.pages, page)
	}
	for id, f := range c.listing.Fixtures {
		if !f.Over {
			ids = append(ids, id)
		}
	}
	const some = 10
	for from := 0; from < len(ids); from += some {
		asked := strings.Join(ids[from:min(from+some, len(ids))], ",")
		p := c.payload("bet365/prematch", "/v3/bet365/prematch?FI="+asked)
		p.Query, p.FetchedAt = url.Values{"FI": {asked}}, began
		w.sheets = append(w.sheets, p)
	}
	return w
}
