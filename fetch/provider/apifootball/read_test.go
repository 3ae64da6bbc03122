package apifootball_test

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = apifootball.Provider().Markets

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const goldens = "testdata/read/*.txtar"

// payload is one payload of a golden: listing*.json are answers of fixtures, markets*.json
// answers of odds.
func payload(f txtar.File) provider.Payload {
	switch {
	case strings.HasPrefix(f.Name, "listing"):
		return provider.Payload{Endpoint: "fixtures", FetchedAt: fetchedAt, Body: f.Data}
	case strings.HasPrefix(f.Name, "markets"):
		return provider.Payload{Endpoint: "odds", FetchedAt: fetchedAt.Add(time.Minute), Body: f.Data}
	}
	return provider.Payload{}
}

// TestGoldens reads the payloads of testdata/read and compares what they say.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}

// TestNotAPayload: bytes that do not parse, answers with an error, and envelopes without
// a list are errors.
func TestNotAPayload(t *testing.T) {
	for _, body := range []string{
		"", "<html>", `{}`, `{"errors":[],"response":{}}`, `{"errors":{"requests":"used up"},"response":[]}`, `{"errors":["x"],"response":[]}`,
		`{"errors":[],"response":[],"response":[]}`, `{"errors":[],"response":[`, `[]`,
	} {
		if _, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{}); err == nil {
			t.Errorf("markets %q: no error", body)
		}
		if _, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}}); err == nil {
			t.Errorf("listing %q: no error", body)
		}
		if _, err := apifootball.Provider().Live.ReadDetail(provider.Payload{Body: []byte(body)}); err == nil {
			t.Errorf("live %q: no error", body)
		}
	}
}

// TestErrorsHoldNoPayload: no text of a payload gets into an error.
func TestErrorsHoldNoPayload(t *testing.T) {
	body := []byte(`{"errors":[],"response":[{"fixture":"1","canary-0815":nonsense}]}`)
	_, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
	if err == nil || bytes.Contains([]byte(err.Error()), []byte("canary")) {
		t.Errorf("%v", err)
	}
}
