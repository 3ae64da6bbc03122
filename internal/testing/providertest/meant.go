package providertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/meant"
	"mkt/publish/football"
)

// emulated fetches a whole cycle from the emulator, reads the answers, and compares
// them with the emulator's meaning.
func (s Suite) emulated(t *testing.T) {
	sim, err := s.Emulator(simulator.Options{Seed: 7, Now: func() time.Time { return Noon }})
	if err != nil {
		t.Fatal(err)
	}
	x := &Exchange{Adapter: s.Provider, Handler: sim, Token: sim.Tokens()[0], Clock: func() time.Time { return Noon }}
	adapter := s.Provider.Markets
	asked, err := adapter.Ask(t.Context(), x)
	if err != nil || !asked.ListingComplete || asked.Listed == 0 {
		t.Fatalf("%+v, %v", asked, err)
	}
	var pages, answers []provider.Payload
	for _, p := range x.Kept {
		if adapter.IsListing(p.Endpoint) {
			pages = append(pages, p)
		} else {
			answers = append(answers, p)
		}
	}
	l, err := adapter.ReadListing(pages)
	if err != nil || len(l.Broken) > 0 {
		t.Fatalf("%v, broken %v", err, l.Broken)
	}
	compareListing(t, sim, l)
	markets := 0
	for _, p := range answers {
		sheet, err := adapter.ReadMarkets(p, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range sheet.Fixtures {
			for _, m := range sim.Meant(sim.Tokens()[0], f.Fixture.ProviderFixtureID) {
				if s.Asked == nil || s.Asked(p, m) {
					s.compareMarket(t, f.Fixture.ProviderFixtureID, m, f.Offers)
					markets++
				}
			}
		}
	}
	if markets < 1000 {
		t.Errorf("%d markets compared", markets)
	}
}

// Noon is the time of the emulator in the suite.
var Noon = time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)

func compareListing(t *testing.T, sim *simulator.Server, l provider.Listing) {
	human := 0
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		got, ok := l.Fixtures[f.ID]
		switch {
		case ok != f.Human:
			t.Errorf("%s, %s - %s in %s: listed %v, played by people %v", f.ID, f.Home, f.Away, f.League, ok, f.Human)
		case ok && (got.Over != f.Over || !got.StartsAt.Or(time.Time{}).Equal(f.KickOff)):
			t.Errorf("%s: %+v, meant %+v", f.ID, got, f)
		case ok && got.League.State() == football.Present && got.League.Or("") != f.League:
			t.Errorf("%s: league %q, meant %q", f.ID, got.League.Or(""), f.League)
		}
		if f.Human {
			human++
		}
	}
	if len(l.Fixtures) != human {
		t.Errorf("%d fixtures, %d meant", len(l.Fixtures), human)
	}
}

// compareMarket finds a market among the offers. It must have every row with its price,
// and no other.
func (s Suite) compareMarket(t *testing.T, fixture string, m meant.Market, offers []input.Offer) {
	t.Helper()
	var rows []input.Row
	id := func(r input.Row) string { return r.ID.Or("") }
	if s.RowID != nil {
		id = s.RowID
	}
	sections := 0
	for _, o := range offers {
		if s.Means(m, o) {
			rows = append(rows, o.Rows...)
			sections = len(o.Sections)
		}
	}
	var want, got []string
	for _, r := range m.Rows {
		want = append(want, r.ID+"="+r.Decimal)
	}
	for _, r := range rows {
		if r.Trouble != football.Superseded {
			got = append(got, id(r)+"="+r.Decimal.Or(""))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || sections != len(slices.Compact(slices.Clone(m.Sections))) {
		t.Errorf("%s %s: in %d sections, rows\n%s\nmeant in %v\n%s", fixture, m.Key, sections, strings.Join(got, " "), m.Sections, strings.Join(want, " "))
	}
}
