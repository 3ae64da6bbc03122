package betsapi_test

import (
	"maps"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/providertest"
)

// seed adds the goldens' payloads of one kind.
func seed(f *testing.F, prefix string) {
	providertest.Goldens(f, "testdata/read/*.txtar", func(_ string, a *txtar.Archive) {
		for _, p := range a.Files {
			if strings.HasPrefix(p.Name, prefix) {
				f.Add(p.Data)
			}
		}
	})
	f.Add([]byte(`{"success":0,"error":"TOO_MANY_REQUESTS"}`))
}

// FuzzReadMarkets: any input is read or refused; keys are unique, an
// offer is mapped or says why not, and a fixture is read or broken.
func FuzzReadMarkets(f *testing.F) {
	seed(f, "markets")
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
		if err != nil {
			return
		}
		providertest.CheckAccepted(t, betsapi.Provider(), body)
		providertest.CheckSheet(t, s)
		for _, x := range s.Fixtures {
			for _, o := range x.Offers {
				if len(o.Sections) == 0 {
					t.Fatalf("offer %+v", o)
				}
			}
		}
	})
}

// FuzzReadListing: a fixture is listed or filtered, never both, and reading a
// page twice changes nothing.
func FuzzReadListing(f *testing.F) {
	seed(f, "listing")
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := adapter.ReadListing([]provider.Payload{{Body: body}})
		if err != nil || len(l.Fixtures)+len(l.Filtered) == 0 {
			return // one item without an id is damage, and two of them are another shape
		}
		twice, err := adapter.ReadListing([]provider.Payload{{Body: body}, {Body: body}})
		if err != nil || !maps.Equal(l.Fixtures, twice.Fixtures) || !maps.Equal(l.Filtered, twice.Filtered) {
			t.Fatalf("read twice it is another: %v", err)
		}
		providertest.CheckListing(t, l)
	})
}

// FuzzClassify: a verdict is one of a closed set, and an accepted answer can be
// read.
func FuzzClassify(f *testing.F) {
	for _, status := range []int{200, 401, 403, 429, 500} {
		f.Add(status, []byte(`{"success":0,"error":"PARAM_INVALID"}`))
		f.Add(status, []byte(`{"success":1,"results":[]}`))
		f.Add(status, []byte(`<html>`))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		v := betsapi.Classify(status, nil, body)
		if (v.Kind == provider.Accepted) != (v.Code == "") || v.Kind > provider.Rejected || len(v.Code) > 30 {
			t.Fatalf("%+v", v)
		}
	})
}
