package transform_test

import (
	"fmt"
	"reflect"
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// A Deriver's memory of the rows of other fixtures changes nothing, even if a team is
// called like a word of a row.
func TestKnownRowsChangeNothing(t *testing.T) {
	adapter, pages, sheets := simulated(t, 1, 10)
	listing, err := adapter.ReadListing(pages)
	must(t, err)
	var fixtures []provider.FixtureOffers
	for _, p := range sheets {
		sheet, err := adapter.ReadMarkets(p, listing)
		must(t, err)
		fixtures = append(fixtures, sheet.Fixtures...)
	}
	fixtures = fixtures[:min(4, len(fixtures))]
	minter := identity.NewMinter(identity.Key{1}, "betsapi")
	kept := markets.New(minter.Clone())
	differ := 0
	for _, names := range [][2]string{{}, {"", ""}, {"1", "2"}, {}, {"2", "Over"}, {"Yes", "Draw"}, {"Under 2.5", "ove"}, {"Tie", "Tie"}, {"Odd", "Exactly"}, {}} {
		for _, f := range fixtures {
			plain := markets.New(minter.Clone()).Derive(&f.Fixture, f.Offers)
			if names != [2]string{} {
				f.Fixture.Home, f.Fixture.Away = football.Of(names[0]), football.Of(names[1])
			}
			want := markets.New(minter.Clone()).Derive(&f.Fixture, f.Offers)
			if got := kept.Derive(&f.Fixture, f.Offers); !reflect.DeepEqual(got, want) {
				t.Errorf("fixture %s, teams %q: other markets than those of a new Deriver", f.Fixture.ProviderFixtureID, fmt.Sprint(names))
			}
			if !reflect.DeepEqual(plain, want) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("no name of a team changes a market, so that this test shows nothing")
	}
}
