package betsapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/publish/football"
)

var simNoon = time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)

// emulate returns an emulator whose clock stands at noon.
func emulate(t testing.TB, seed uint64) *simulator.Server {
	t.Helper()
	sim, err := emulator.New(simulator.Options{Seed: seed, Now: func() time.Time { return simNoon }})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// simExchange sends requests to an emulator as the transport would, without
// retries, and keeps the answers.
type simExchange struct {
	sim *simulator.Server

	mu   sync.Mutex
	kept []provider.Payload
}

func (x *simExchange) Bookmaker() string             { return "" }
func (x *simExchange) Concurrency() int              { return 4 }
func (x *simExchange) Quota() (provider.Quota, bool) { return provider.Quota{}, false }
func (x *simExchange) Now() time.Time                { return simNoon }
func (x *simExchange) Progress(_, _ int)             {}

func (x *simExchange) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	p := betsapi.Provider()
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, p.BaseURL+r.Path+"?"+r.Query.Encode(), nil)
	p.Authorize(q, x.sim.Tokens()[0])
	w := httptest.NewRecorder()
	x.sim.ServeHTTP(w, q)
	if v := p.Classify(w.Code, w.Header(), w.Body.Bytes()); v.Kind != provider.Accepted {
		return provider.Payload{}, &provider.AnswerError{Endpoint: r.Endpoint, Status: w.Code, Verdict: v}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := provider.Payload{Number: len(x.kept) + 1, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: simNoon, Body: w.Body.Bytes()}
	x.kept = append(x.kept, kept)
	return kept, nil
}

// meant asks an emulator for a whole cycle, reads the answers, and compares them
// with what the emulator meant.
func meant(t *testing.T) {
	sim := emulate(t, 7)
	x := &simExchange{sim: sim}
	asked, err := adapter.Ask(t.Context(), x)
	if err != nil || !asked.ListingComplete || asked.Listed == 0 {
		t.Fatalf("%+v, %v", asked, err)
	}
	var pages, answers []provider.Payload
	for _, p := range x.kept {
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
	read := map[string][]input.Offer{}
	for _, p := range answers {
		s, err := adapter.ReadMarkets(p, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Fixtures {
			read[f.Fixture.ProviderFixtureID] = f.Offers
		}
	}
	markets := 0
	for id, offers := range read {
		for _, m := range sim.Meant(sim.Tokens()[0], id) {
			compareMarket(t, id, m, offers)
			markets++
		}
	}
	if markets < 1000 {
		t.Errorf("%d markets compared", markets)
	}
}

func compareListing(t *testing.T, sim *simulator.Server, l provider.Listing) {
	human := 0
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		got, ok := l.Fixtures[f.ID]
		switch {
		case ok != f.Human:
			t.Errorf("%s, %s - %s in %s: listed %v, played by people %v", f.ID, f.Home, f.Away, f.League, ok, f.Human)
		case ok && (got.Over != f.Over || !got.StartsAt.Or(time.Time{}).Equal(f.KickOff)):
			t.Errorf("%s: %+v, meant %+v", f.ID, got, f)
		}
		if f.Human {
			human++
		}
	}
	if len(l.Fixtures) != human {
		t.Errorf("%d fixtures, %d meant", len(l.Fixtures), human)
	}
}

// compareMarket finds a market among the offers, by key and id: every row with
// its price, in order, and nothing else.
func compareMarket(t *testing.T, fixture string, m simulator.MeantMarket, offers []input.Offer) {
	t.Helper()
	var rows []input.Row
	sections := 0
	for _, o := range offers {
		taken := m.Key == "specials" && slices.Contains(o.ProviderIDs, m.ID) // taken apart
		if o.Key == m.Key || o.Key == m.Key+"#"+m.ID || taken {
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
			got = append(got, r.ID.Or("")+"="+r.Decimal.Or(""))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || sections != len(slices.Compact(slices.Clone(m.Sections))) {
		t.Errorf("%s %s: in %d sections, rows\n%s\nmeant in %v\n%s", fixture, m.Key, sections, strings.Join(got, " "), m.Sections, strings.Join(want, " "))
	}
}
