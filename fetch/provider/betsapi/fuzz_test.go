package betsapi_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
)

// seed adds the goldens' payloads of one kind.
func seed(f *testing.F, prefix string) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range txtar.Parse(text).Files {
			if len(p.Name) > len(prefix) && p.Name[:len(prefix)] == prefix {
				f.Add(p.Data)
			}
		}
	}
	f.Add([]byte(`{"success":0,"error":"TOO_MANY_REQUESTS"}`))
}

// FuzzReadMarkets: whatever comes, it is read or refused; keys are unique, an
// offer is mapped or says why not, and a fixture is read or broken.
func FuzzReadMarkets(f *testing.F) {
	seed(f, "markets")
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
		if err != nil {
			return
		}
		if betsapi.Classify(http.StatusOK, nil, body).Kind != provider.Accepted {
			t.Fatal("read what would not have been archived")
		}
		met := map[string]bool{}
		for _, x := range s.Fixtures {
			id := x.Fixture.ProviderFixtureID
			if _, broken := s.Broken[id]; met[id] || broken || id == "" {
				t.Fatalf("fixture %q is there twice", id)
			}
			met[id] = true
			keys := map[string]bool{}
			for _, o := range x.Offers {
				if keys[o.Key] || (o.Reading == nil) == (o.RawReason == "") || len(o.Sections) == 0 {
					t.Fatalf("offer %+v", o)
				}
				keys[o.Key] = true
				checkRows(t, o.Rows)
			}
		}
	})
}

func checkRows(t *testing.T, rows []input.Row) {
	for _, r := range rows {
		if id, ok := r.ID.Get(); ok && id == "" {
			t.Fatal("an empty id is a value")
		}
		if price, ok := r.Decimal.Get(); ok && price == "" {
			t.Fatal("an empty price is a value")
		}
	}
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
		for id, x := range l.Fixtures {
			if id == "" || x.ProviderFixtureID != id {
				t.Fatalf("fixture %q is %q", id, x.ProviderFixtureID)
			}
		}
	})
}

// FuzzClassify: a verdict is one of a closed set, and what is accepted can be
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
