package sportmonks_test

import (
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/providertest"
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
		providertest.CheckListing(t, l)
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
		providertest.CheckLive(t, s)
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
