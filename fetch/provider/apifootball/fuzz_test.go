package apifootball_test

import (
	"net/http"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
)

// seed adds the goldens' payloads.
func seed(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.txtar", "testdata/live.txtar"} {
		providertest.Goldens(f, pattern, func(_ string, a *txtar.Archive) {
			for _, p := range a.Files[:len(a.Files)-1] {
				f.Add(p.Data)
			}
		})
	}
	f.Add([]byte(`{"errors":{"requests":"x"},"response":[]}`))
}

// FuzzReadMarkets: any input is read or refused; keys are unique, an offer is
// mapped or says why not, and a fixture is read or broken.
func FuzzReadMarkets(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
		if err != nil {
			return
		}
		if v := apifootball.Classify(http.StatusOK, nil, body); v.Kind != provider.Accepted && v.Code != "NO_ENVELOPE" {
			t.Fatalf("read what would not have been archived: %+v", v)
		}
		providertest.CheckSheet(t, s)
	})
}

// FuzzReadListing: any input is read or refused, and no fixture is nameless.
func FuzzReadListing(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := adapter.ReadListing([]provider.Payload{{Body: body}})
		if err != nil && len(l.Fixtures) > 0 {
			t.Fatalf("an error and %d fixtures: %v", len(l.Fixtures), err)
		}
		providertest.CheckListing(t, l)
	})
}

// FuzzReadLive: any input is read or refused; each fixture once, counters in
// order and each once, incidents with ids of their own.
func FuzzReadLive(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := live.ReadList([]provider.Payload{{Body: body}})
		if err != nil {
			return
		}
		providertest.CheckLive(t, s)
		for i := range s.Samples {
			ids := map[string]bool{} // the adapter makes them
			for _, e := range s.Samples[i].Incidents.Or(nil) {
				if ids[e.ID] {
					t.Fatalf("incident %+v is there twice", e)
				}
				ids[e.ID] = true
			}
		}
	})
}

func FuzzClassify(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if v := apifootball.Classify(http.StatusOK, http.Header{}, body); (v.Kind == provider.Accepted) != (v.Code == "") {
			t.Fatalf("%+v", v)
		}
	})
}
