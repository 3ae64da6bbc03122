package theoddsapi_test

import (
	"bytes"
	"flag"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/provider/theoddsapi"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = theoddsapi.Provider().Markets

var fetchedAt = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// payload is one payload of a golden: what it is stands in its name, and behind a dash
// the bookmaker that the query names.
func payload(f txtar.File) provider.Payload {
	name, maker, _ := strings.Cut(strings.TrimSuffix(f.Name, ".json"), "-")
	p := provider.Payload{FetchedAt: fetchedAt, Body: f.Data}
	switch strings.TrimRight(name, "0123456789") {
	case "sports":
		p.Endpoint = "sports"
	case "events":
		p.Endpoint = "events"
	case "odds":
		p.Endpoint = "odds"
	case "eventodds":
		p.Endpoint = "event/odds"
	}
	if maker != "" {
		p.Query = url.Values{"bookmakers": {maker}}
	}
	return p
}

const goldens = "testdata/read/*.txtar"

// TestGoldens reads the payloads of testdata/read and compares what they say.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}

// Bytes that do not parse, and answers of another shape, are errors.
func TestNotAPayload(t *testing.T) {
	for _, body := range []string{
		"", "<html>", `{"message":"no","error_code":"INVALID_KEY"}`, `{"id":"a1","id":"a2","bookmakers":[]}`, `[] []`, `[{"id":"a1"}`, `"a1"`, `{"bookmakers":[]}`,
	} {
		if _, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{}); err == nil {
			t.Errorf("markets %q: no error", body)
		}
		if _, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}}); err == nil {
			t.Errorf("listing %q: no error", body)
		}
	}
	if _, err := adapter.ReadListing([]provider.Payload{{Body: []byte(`[{"key":"a"},{"key":"b"}]`)}}); err == nil {
		t.Error("a list of something else: no error")
	}
}

// A fixture that the request did not name is left out.
func TestNotAskedFor(t *testing.T) {
	p := provider.Payload{Query: url.Values{"eventIds": {"a3,a1"}}, Body: []byte(`[{"id":"a1","bookmakers":[]},{"id":"a2","bookmakers":[]},{"id":"a3","bookmakers":[]}]`)}
	s, err := adapter.ReadMarkets(p, provider.Listing{})
	if err != nil || len(s.Fixtures) != 2 || s.Skipped["fixture not asked for"] != 1 {
		t.Errorf("%v, %d fixtures, skipped %v", err, len(s.Fixtures), s.Skipped)
	}
}

// No text of a payload gets into an error.
func TestErrorsHoldNoPayload(t *testing.T) {
	_, err := adapter.ReadMarkets(provider.Payload{Body: []byte(`[{"id":"1","canary-0815":nonsense}]`)}, provider.Listing{})
	if err == nil || bytes.Contains([]byte(err.Error()), []byte("canary")) {
		t.Errorf("%v", err)
	}
}
