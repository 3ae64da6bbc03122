package providertest

import (
	"net/http"
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// CheckAccepted fails if a payload that was read would not have been archived.
func CheckAccepted(t *testing.T, p provider.Provider, body []byte) {
	t.Helper()
	if v := p.Classify(http.StatusOK, http.Header{}, body); v.Kind != provider.Accepted {
		t.Fatalf("read what would not have been archived: %+v", v)
	}
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

// CheckListing checks the invariant of every readable listing: each fixture is
// there under its own id.
func CheckListing(t *testing.T, l provider.Listing) {
	t.Helper()
	for id, f := range l.Fixtures {
		if id == "" || f.ProviderFixtureID != id {
			t.Fatalf("fixture %q is %q", id, f.ProviderFixtureID)
		}
	}
}

// CheckLive checks the invariants of every readable list of matches in play:
// each fixture is there once, each counter once and in order, and each incident has an
// id, a kind and a minute. An id that is there twice is the engine's to judge.
func CheckLive(t *testing.T, s provider.LiveSheet) {
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
			if e.ID == "" || e.Kind == "" || e.Minute < 1 {
				t.Fatalf("incident %+v", e)
			}
		}
	}
}
