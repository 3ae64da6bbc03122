package providertest

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Fuzzed is an adapter's part of [Fuzz].
type Fuzzed struct {
	Provider provider.Provider
	Seeds    [][]byte
	Listings []string // the endpoints of listings
	Markets  string   // an endpoint of markets
	// Readable is the code of a refusal that does not keep the adapter from reading; "" if it reads nothing
	// that would not have been archived.
	Readable string
}

// Fuzz gives any bytes to everything of an adapter that reads answers. A verdict has a code unless it
// accepts; what is read would have been archived and keeps the invariants of its kind; and a listing is the
// same when a page is there twice.
func Fuzz(f *testing.F, x Fuzzed) {
	for _, body := range x.Seeds {
		for _, status := range []int{200, 401, 403, 429, 500} {
			f.Add(status, body)
		}
	}
	p := x.Provider
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if v := p.Classify(status, http.Header{}, body); (v.Kind == provider.Accepted) != (v.Code == "") || v.Kind > provider.Rejected || v.Wait < 0 || len(v.Code) > 50 {
			t.Fatalf("%+v", v)
		}
		archived := p.Classify(http.StatusOK, http.Header{}, body)
		isRead := func(err error) bool {
			if err == nil && archived.Kind != provider.Accepted && archived.Code != x.Readable {
				t.Fatalf("read what would not have been archived: %+v", archived)
			}
			return err == nil
		}
		if s, err := p.Markets.ReadMarkets(provider.Payload{Endpoint: x.Markets, Body: body, Trace: new(provider.Trace)}, provider.Listing{}); isRead(err) {
			CheckSheet(t, s)
		}
		for _, endpoint := range x.Listings {
			page := provider.Payload{Endpoint: endpoint, Body: body, Trace: new(provider.Trace)}
			if l, err := p.Markets.ReadListing([]provider.Payload{page}); isRead(err) {
				checkListing(t, l)
				// One item without an id is damage, and two of them are another shape.
				if twice, err := p.Markets.ReadListing([]provider.Payload{page, page}); len(l.Fixtures)+len(l.Filtered) > 0 &&
					(err != nil || !maps.Equal(l.Fixtures, twice.Fixtures) || !maps.Equal(l.Filtered, twice.Filtered)) {
					t.Fatalf("read twice it is another: %v", err)
				}
			}
		}
		if p.Live == nil {
			return
		}
		if s, err := p.Live.ReadList([]provider.Payload{{Body: body, Trace: new(provider.Trace)}}); isRead(err) {
			checkLive(t, s)
		}
	})
}

// BodiesOf returns the payloads of goldens.
func BodiesOf(t testing.TB, patterns ...string) (bodies [][]byte) {
	t.Helper()
	for _, pattern := range patterns {
		Goldens(t, pattern, func(_ string, a *txtar.Archive) {
			for _, file := range a.Files[:len(a.Files)-1] {
				bodies = append(bodies, file.Data)
			}
		})
	}
	return bodies
}

// CheckSheet checks the invariants of every readable payload of markets: each
// fixture is read once or broken, each offer has a key of its own and is mapped or says
// why not, no text of a row is an empty value, and no more parts are damaged than there
// are.
func CheckSheet(t *testing.T, s provider.Sheet) {
	t.Helper()
	fixtures := map[string]bool{}
	for _, x := range s.Fixtures {
		id := x.Fixture.ProviderFixtureID
		if _, broken := s.Broken[id]; fixtures[id] || broken || id == "" {
			t.Fatalf("fixture %q is there twice", id)
		}
		fixtures[id] = true
		keys := map[string]bool{}
		for _, o := range x.Offers {
			if keys[o.Key] || o.Key == "" || (o.Reading == nil) == (o.RawReason == "") {
				t.Fatalf("offer %+v", o)
			}
			keys[o.Key] = true
			for _, r := range o.Rows {
				for _, f := range []football.Field[string]{r.ID, r.Decimal} {
					if text, ok := f.Get(); ok && text == "" {
						t.Fatalf("an empty text is a value: %+v", r)
					}
				}
			}
		}
	}
	if s.Hurt.Sections > s.Met.Sections || s.Hurt.Markets > s.Met.Markets || s.Hurt.Rows > s.Met.Rows {
		t.Fatalf("%+v parts are damaged of %+v", s.Hurt, s.Met)
	}
}

// checkListing checks the invariant of every readable listing: each fixture is
// there under its own id.
func checkListing(t *testing.T, l provider.Listing) {
	t.Helper()
	for id, f := range l.Fixtures {
		if id == "" || f.ProviderFixtureID != id {
			t.Fatalf("fixture %q is %q", id, f.ProviderFixtureID)
		}
	}
}

// checkLive checks the invariants of every readable list of matches in play:
// each fixture is there once, each counter once and in order, and each incident has an
// id, a kind, a side and a minute. An id that is there twice is the engine's to judge.
func checkLive(t *testing.T, s provider.LiveSheet) {
	t.Helper()
	fixtures := map[string]bool{}
	for i := range s.Samples {
		x := &s.Samples[i]
		if fixtures[x.ProviderFixtureID] || x.ProviderFixtureID == "" {
			t.Fatalf("fixture %q is there twice or has no id", x.ProviderFixtureID)
		}
		fixtures[x.ProviderFixtureID] = true
		if x.CountersNotAsked && x.Counters != nil {
			t.Fatalf("counters that were not requested: %v", x.Counters)
		}
		for k := 1; k < len(x.Counters); k++ {
			if x.Counters[k-1].Metric >= x.Counters[k].Metric {
				t.Fatalf("counters out of order: %v", x.Counters)
			}
		}
		for _, e := range x.Incidents.Or(nil) {
			if e.ID == "" || e.Kind == "" || e.Minute < 1 || !slices.Contains(football.Sides(), e.Side) {
				t.Fatalf("incident %+v", e)
			}
		}
	}
}
