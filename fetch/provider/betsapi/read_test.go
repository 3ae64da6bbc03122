package betsapi_test

import (
	"bytes"
	"flag"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = betsapi.Provider().Markets

var fetchedAt = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const goldens = "testdata/read/*.txtar"

// payload is one payload of a golden: listing*.json are answers of bet365/upcoming, markets*.json
// answers of bet365/prematch.
func payload(f txtar.File) provider.Payload {
	switch {
	case strings.HasPrefix(f.Name, "listing"):
		return provider.Payload{Endpoint: "bet365/upcoming", FetchedAt: fetchedAt, Body: f.Data}
	case strings.HasPrefix(f.Name, "markets"):
		return provider.Payload{Endpoint: "bet365/prematch", FetchedAt: fetchedAt.Add(time.Minute), Body: f.Data}
	}
	return provider.Payload{}
}

// TestGoldens reads the payloads of testdata/read and compares what they say.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}

// TestNotAPayload: bytes that do not parse, and envelopes without a list, are errors.
func TestNotAPayload(t *testing.T) {
	for _, body := range []string{
		"", "<html>", `{"success":1}`, `{"success":0,"error":"PARAM_INVALID"}`, `{"success":1,"results":{}}`, `{"results":[]}`,
		`{"success":1,"results":[]} `[:20], `{"success":1,"results":[],"results":[]}`, `{"success":1,"success":1,"results":[]}`, `{"success":true,"results":[]}`, `[]`,
	} {
		if _, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{}); err == nil {
			t.Errorf("markets %q: no error", body)
		}
		if _, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}}); err == nil {
			t.Errorf("listing %q: no error", body)
		}
	}
	for _, body := range []string{`{"success":1,"results":[]}`, `{"success":"1","results":[]}`} {
		if s, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{}); err != nil || len(s.Fixtures) > 0 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestNotAskedFor: a fixture that the request did not name is left out.
func TestNotAskedFor(t *testing.T) {
	body := []byte(prematchOf([]string{"1", "2", "3"}))
	s, err := adapter.ReadMarkets(provider.Payload{Query: url.Values{"FI": {"3,1"}}, Body: body}, provider.Listing{})
	if err != nil || len(s.Fixtures) != 2 || s.Skipped["fixture not asked for"] != 1 {
		t.Errorf("%v, %d fixtures, skipped %v", err, len(s.Fixtures), s.Skipped)
	}
}

// TestErrorsHoldNoPayload: no text of a payload gets into an error.
func TestErrorsHoldNoPayload(t *testing.T) {
	body := []byte(`{"success":1,"results":[{"FI":"1","canary-0815":nonsense}]}`)
	_, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
	if err == nil || bytes.Contains([]byte(err.Error()), []byte("canary")) {
		t.Errorf("%v", err)
	}
}
