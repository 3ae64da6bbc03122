package theoddsapi_test

import (
	"maps"
	"net/http"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

// seed adds the goldens' payloads of one kind.
func seed(f *testing.F, is func(endpoint string) bool) {
	providertest.Goldens(f, goldens, func(_ string, a *txtar.Archive) {
		for _, file := range a.Files {
			if is(payload(file).Endpoint) {
				f.Add(file.Data)
			}
		}
	})
	f.Add([]byte(errorBody("OUT_OF_USAGE_CREDITS")))
}

// Any input is read or refused; keys are unique, an offer is mapped or says why not, and
// a fixture is read or broken.
func FuzzReadMarkets(f *testing.F) {
	seed(f, adapter.IsMarkets)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
		if err != nil {
			return
		}
		providertest.CheckAccepted(t, theoddsapi.Provider(), body)
		providertest.CheckSheet(t, s)
		for _, x := range s.Fixtures {
			for _, o := range x.Offers {
				for _, r := range o.Rows {
					if r.Decimal.State() == football.Present && r.OtherPrice.State() != football.Missing {
						t.Fatalf("row %+v", r)
					}
				}
			}
		}
	})
}

// A fixture is listed or filtered, never both, and reading a page twice changes
// nothing.
func FuzzReadListing(f *testing.F) {
	seed(f, adapter.IsListing)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, endpoint := range []string{"sports", "events"} {
			p := provider.Payload{Endpoint: endpoint, Body: body}
			l, err := adapter.ReadListing([]provider.Payload{p})
			if err != nil || len(l.Fixtures)+len(l.Filtered) == 0 {
				continue
			}
			twice, err := adapter.ReadListing([]provider.Payload{p, p})
			if err != nil || !maps.Equal(l.Fixtures, twice.Fixtures) || !maps.Equal(l.Filtered, twice.Filtered) {
				t.Fatalf("read twice it is another: %v", err)
			}
			providertest.CheckListing(t, l)
		}
	})
}

// A verdict is one of a closed set, and its quota is plausible.
func FuzzClassify(f *testing.F) {
	for _, status := range []int{200, 401, 403, 422, 429, 500} {
		f.Add(status, "100", []byte(errorBody("INVALID_MARKET")))
		f.Add(status, "-1", []byte(`[]`))
		f.Add(status, "1e300", []byte(`<html>`))
	}
	f.Fuzz(func(t *testing.T, status int, left string, body []byte) {
		h := http.Header{"X-Requests-Remaining": {left}, "X-Requests-Used": {left}}
		v := theoddsapi.Classify(status, h, body)
		if (v.Kind == provider.Accepted) != (v.Code == "") || v.Kind > provider.Rejected || len(v.Code) > 50 {
			t.Fatalf("%+v", v)
		}
		if v.Quota != nil && (v.Quota.Left < 0 || v.Quota.Limit < v.Quota.Left) {
			t.Fatalf("%+v", *v.Quota)
		}
	})
}
