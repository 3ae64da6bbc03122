package transform_test

import (
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/sportmonks/emulator"
	"mkt/fetch/simulator"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// What the emulator of Sportmonks means comes out of reader and engine, as it does for
// BetsAPI.
func TestSportmonksEmulatorIsUnderstood(t *testing.T) {
	clock := func() time.Time { return providertest.Noon }
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 80, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	adapter := sportmonks.Provider().Markets
	x := &providertest.Exchange{Adapter: sportmonks.Provider(), Handler: sim, Token: sim.Tokens()[0], Clock: clock}
	if _, err := adapter.Ask(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	var pages, answers []provider.Payload
	for _, p := range x.Kept {
		if adapter.IsListing(p.Endpoint) {
			pages = append(pages, p)
		} else {
			answers = append(answers, p)
		}
	}
	c := &comparison{T: t, sim: sim, token: sim.Tokens()[0], adapter: adapter, minter: identity.NewMinter(identity.Key{1}, sportmonks.Name), now: clock()}
	if c.listing, err = adapter.ReadListing(pages); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, p := range answers {
		sheet, err := adapter.ReadMarkets(p, c.listing)
		if err != nil || len(sheet.Broken) > 0 {
			t.Fatalf("%v, broken %v", err, sheet.Broken)
		}
		for _, f := range sheet.Fixtures {
			found := sortOut(markets.Derive(c.minter, f.Fixture, f.Offers))
			for _, m := range sim.Meant(c.token, f.Fixture.ProviderFixtureID) {
				for _, want := range m.Rows {
					rows++
					c.row(f.Fixture.ProviderFixtureID, m, want, found)
				}
			}
		}
	}
	if rows < 20_000 {
		t.Errorf("only %d rows compared", rows)
	}
}
