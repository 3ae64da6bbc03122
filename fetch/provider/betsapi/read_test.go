package betsapi_test

import (
	"flag"
	"net/url"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = betsapi.Provider().Markets

var fetchedAt = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const goldens = "testdata/read/*.txtar"

var payload = providertest.PayloadsOf(fetchedAt, "bet365/upcoming", "bet365/prematch")

// TestGoldens reads the payloads of testdata/read and compares the results.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}

// TestEmptyAnswers: an answer without results is read.
func TestEmptyAnswers(t *testing.T) {
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
