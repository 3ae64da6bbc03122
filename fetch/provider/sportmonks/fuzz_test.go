package sportmonks_test

import (
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/provider/sportmonks"
	"mkt/publish/football"
)

func seed(f *testing.F) {
	for _, name := range []string{"listing", "multi", "rows", "damaged", "nothing", "inplay"} {
		f.Add(own(f, name))
	}
	f.Add([]byte(`{"message":"Unauthenticated."}`))
}

// FuzzReadMarkets: any input is read or refused; keys are unique, an offer is
// mapped or says why not, and a fixture is read or broken.
func FuzzReadMarkets(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := adapter.ReadMarkets(provider.Payload{Endpoint: "fixtures/multi", Body: body, Trace: new(provider.Trace)}, provider.Listing{})
		if err != nil {
			return
		}
		providertest.CheckAccepted(t, sportmonks.Provider(), body)
		providertest.CheckSheet(t, s)
		for _, x := range s.Fixtures {
			for _, o := range x.Offers {
				if len(o.ProviderIDs) != 1 || len(o.Rows) == 0 {
					t.Fatalf("offer %+v", o)
				}
			}
		}
	})
}

// FuzzReadListing: any input is read or refused, and a fixture is kept or
// filtered.
func FuzzReadListing(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := adapter.ReadListing([]provider.Payload{{Body: body, Trace: new(provider.Trace)}})
		if err != nil {
			return
		}
		providertest.CheckAccepted(t, sportmonks.Provider(), body)
		for id, x := range l.Fixtures {
			if id == "" || x.ProviderFixtureID != id {
				t.Fatalf("fixture %q: %+v", id, x)
			}
		}
	})
}

// FuzzReadLive: any input is read or refused; a fixture is there once, a
// counter once, in order.
func FuzzReadLive(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := live.ReadList([]provider.Payload{{Body: body, Trace: new(provider.Trace)}})
		if err != nil {
			return
		}
		providertest.CheckAccepted(t, sportmonks.Provider(), body)
		met := map[string]bool{}
		for i := range s.Samples {
			x := &s.Samples[i]
			if met[x.ProviderFixtureID] || x.ProviderFixtureID == "" {
				t.Fatalf("fixture %q is there twice", x.ProviderFixtureID)
			}
			met[x.ProviderFixtureID] = true
			for k := 1; k < len(x.Counters); k++ {
				if x.Counters[k-1].Metric >= x.Counters[k].Metric {
					t.Fatalf("counters %v", x.Counters)
				}
			}
			incidents, sent := x.Incidents.Get()
			if sent != (x.Incidents.State() == football.Present) {
				t.Fatal("incidents")
			}
			for _, n := range incidents {
				if n.ID == "" || n.Minute < 1 || n.Kind == "" {
					t.Fatalf("%+v", n)
				}
			}
		}
	})
}

// FuzzClassify: every body under every status has a verdict, and a refusal a code.
func FuzzClassify(f *testing.F) {
	for _, status := range []int{200, 400, 401, 403, 404, 429, 500} {
		f.Add(status, own(f, "nothing"))
		f.Add(status, []byte(`{"message":"x"}`))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if v := sportmonks.Classify(status, nil, body); (v.Kind == provider.Accepted) != (v.Code == "") || v.Wait < 0 {
			t.Fatalf("%+v", v)
		}
	})
}
