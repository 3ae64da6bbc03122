package transform_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	apifootballemulator "mkt/fetch/provider/apifootball/emulator"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// The markets of the simulator, rendered in the provider's words, are understood as they
// were meant: every row appears once with its odds unchanged, and each publishable one
// has the market, period, outcome, line, qualifier and subject that were meant; whatever
// can be proven is publishable.
func TestSimulatorIsUnderstood(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := newComparison(t, seed)
			for _, f := range c.sim.Listed(c.token) {
				c.listed(f)
			}
			rows := 0
			vouched := make(map[string]int)
			for _, f := range c.fixtures() {
				got := markets.Derive(c.minter, f.Fixture, f.Offers)
				sold := sortOut(got)
				countVouched(got, vouched)
				for _, m := range c.sim.Meant(c.token, f.Fixture.ProviderFixtureID) {
					for _, want := range m.Rows {
						rows++
						c.row(f.Fixture.ProviderFixtureID, m, want, sold)
					}
				}
			}
			if rows < 20_000 {
				t.Errorf("only %d rows compared", rows)
			}
			for _, what := range []string{"1st_player_booked NO_CARD", "first_card_received NONE", "corners_race NEITHER", "shots_over_under OVER",
				"shots_on_target_over_under UNDER", "player_fouls_committed OVER"} {
				if vouched[what] == 0 {
					t.Errorf("never published: %s", what)
				}
			}
			for what, n := range vouched {
				if strings.Contains(strings.ToLower(what), simulator.AnyOtherPlayer) {
					t.Errorf("published %d times: %s", n, what)
				}
			}
		})
	}
}

// The same of API-Football, whose rows have no ids: a row is known by its text.
func TestSimulatedAPIFootballIsUnderstood(t *testing.T) {
	now := providertest.Noon
	clock := func() time.Time { return now }
	sim, err := apifootballemulator.New(simulator.Options{Seed: 1, Fixtures: 80, Now: clock})
	must(t, err)
	p := apifootball.Provider()
	x := &providertest.Exchange{Adapter: p, Handler: sim, Token: sim.Tokens()[0], Clock: clock}
	_, err = p.Markets.Ask(t.Context(), x)
	must(t, err)
	c := &comparison{T: t, sim: sim, token: x.Token, adapter: p.Markets, minter: identity.NewMinter(identity.Key{1}, p.Name), now: now}
	from := slices.IndexFunc(x.Kept, func(k provider.Payload) bool { return p.Markets.IsMarkets(k.Endpoint) })
	c.listing, err = p.Markets.ReadListing(x.Kept[:from])
	must(t, err)
	rows := 0
	for _, payload := range x.Kept[from:] {
		sheet, err := p.Markets.ReadMarkets(payload, c.listing)
		must(t, err)
		for _, f := range sheet.Fixtures {
			for i := range f.Offers {
				for k := range f.Offers[i].Rows {
					row := &f.Offers[i].Rows[k]
					row.ID = football.Of(row.Labels[0].Text)
				}
			}
			sold := sortOut(markets.Derive(c.minter, f.Fixture, f.Offers))
			for _, m := range sim.Meant(c.token, f.Fixture.ProviderFixtureID) {
				for _, want := range m.Rows {
					rows++
					c.row(f.Fixture.ProviderFixtureID, m, want, sold)
				}
			}
		}
	}
	if rows < 10_000 {
		t.Errorf("only %d rows compared", rows)
	}
}

// comparison is one simulator read through the adapter.
type comparison struct {
	*testing.T
	sim     *simulator.Server
	token   string
	adapter provider.MarketAdapter
	listing provider.Listing
	minter  *identity.Minter
	now     time.Time
}

func newComparison(t *testing.T, seed uint64) *comparison {
	now := time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)
	sim, err := emulator.New(simulator.Options{Seed: seed, Fixtures: 80, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{T: t, sim: sim, token: sim.Tokens()[0], adapter: betsapi.Provider().Markets,
		minter: identity.NewMinter(identity.Key{1}, betsapi.Name), now: now}
	var pages []provider.Payload
	for n := 1; n <= 2; n++ {
		pages = append(pages, c.payload("bet365/upcoming", fmt.Sprint("/v1/bet365/upcoming?sport_id=1&page=", n)))
	}
	if c.listing, err = c.adapter.ReadListing(pages); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *comparison) payload(endpoint, path string) provider.Payload {
	w := httptest.NewRecorder()
	c.sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"&token="+c.token, nil))
	return provider.Payload{Number: 1, Endpoint: endpoint, FetchedAt: c.now, Body: w.Body.Bytes()}
}

// listed compares one item of the listing with what was meant.
func (c *comparison) listed(want simulator.MeantFixture) {
	got, ok := c.listing.Fixtures[want.ID]
	switch {
	case ok != want.Human:
		c.Errorf("%s %s: listed %v, played by people %v", want.ID, want.League, ok, want.Human)
	case !ok:
	case !got.StartsAt.Or(time.Time{}).Equal(want.KickOff) || got.Over != want.Over:
		c.Errorf("%s: at %v, over %v; meant %v, %v", want.ID, got.StartsAt, got.Over, want.KickOff, want.Over)
	case got.League.State() == football.Present && got.League.Or("") != want.League:
		c.Errorf("%s: league %q, meant %q", want.ID, got.League.Or(""), want.League)
	}
}

// fixtures reads the markets of all fixtures played by people.
func (c *comparison) fixtures() (all []provider.FixtureOffers) {
	var ids []string
	for _, f := range c.sim.Listed(c.token) {
		if f.Human {
			ids = append(ids, f.ID)
		}
	}
	for ten := range slices.Chunk(ids, 10) {
		sheet, err := c.adapter.ReadMarkets(c.payload("bet365/prematch", "/v3/bet365/prematch?FI="+strings.Join(ten, ",")), c.listing)
		if err != nil || len(sheet.Broken) > 0 {
			c.Fatalf("%v, broken %v", err, sheet.Broken)
		}
		all = append(all, sheet.Fixtures...)
	}
	return all
}

// countVouched counts publishable selections by the provider's key and the selection.
func countVouched(all []football.Market, into map[string]int) {
	for _, m := range all {
		for _, s := range m.Selections {
			if s.Quality.Publishable {
				into[m.Key+" "+s.Selection]++
			}
		}
	}
}

// outcome is a selection with its market.
type outcome struct {
	football.Selection
	market football.Market
}

// sortOut groups selections by the provider's market id and row id.
func sortOut(all []football.Market) map[string][]outcome {
	sorted := make(map[string][]outcome)
	for _, m := range all {
		for _, s := range m.Selections {
			key := strings.Join(m.ProviderMarketIDs, ",") + " " + s.ProviderSelectionID.Or("")
			sorted[key] = append(sorted[key], outcome{s, m})
		}
	}
	return sorted
}

func (c *comparison) row(fixture string, m simulator.MeantMarket, want simulator.MeantRow, sold map[string][]outcome) {
	if want.ID == "" {
		return // no ids to find it by
	}
	found := sold[m.ID+" "+want.ID]
	if len(found) != 1 {
		c.Errorf("%s %s %s: %d selections", fixture, m.Key, want.ID, len(found))
		return
	}
	got := found[0]
	if decimal := got.Odds.Decimal().Or(""); decimal != want.Decimal {
		c.Errorf("%s %s %s: odds %q, meant %q", fixture, m.Key, want.ID, decimal, want.Decimal)
	}
	if sections := slices.Sorted(slices.Values(got.market.Sections)); !slices.Equal(sections, m.Sections) {
		c.Errorf("%s %s: sections %v, meant %v", fixture, m.Key, sections, m.Sections)
	}
	mapped := got.market.Origin == football.Mapped
	switch {
	case want.Decimal == "" && got.Quality.Publishable, m.Proof == simulator.MustBeRaw && mapped:
		c.Errorf("%s %s %s: vouched for: %+v", fixture, m.Key, want.ID, got.Selection)
	case m.Proof == simulator.MustBeRaw, want.Doubtful && !got.Quality.Publishable, m.Proof == simulator.MayBeRaw && !mapped:
	case want.Stopped && mapped && slices.Equal(got.Quality.Reasons, []football.Reason{football.Suspended}):
		c.meaning(fixture, m.Key, want, got)
	case !got.Quality.Publishable:
		c.Errorf("%s %s %s: %s %v, meant %+v, sent %v", fixture, m.Key, want.ID, got.market.RawReason, got.Quality.Reasons, want, got.Labels)
	default:
		c.meaning(fixture, m.Key, want, got)
	}
}

func (c *comparison) meaning(fixture, key string, want simulator.MeantRow, got outcome) {
	subject := want.Subject
	if subject == "" && want.Selection != "NO_GOALSCORER" {
		subject = want.Side
	}
	was := [...]string{got.market.Canonical, got.market.Period, got.Selection.Selection, got.Line, got.Qualifier, got.Subject}
	meant := [...]string{want.Market, want.Period, want.Selection, want.Line, want.Qualifier, subject}
	if was != meant {
		c.Errorf("%s %s %s: %q, meant %q, sent %v", fixture, key, want.ID, was, meant, got.Labels)
	}
}
