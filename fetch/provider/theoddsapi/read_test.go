package theoddsapi_test

import (
	"bytes"
	"flag"
	"fmt"
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
func TestGoldens(t *testing.T) { providertest.Compare(t, goldens, *update, readAll) }

// readAll reads a golden's payloads and writes down what they say.
func readAll(a *txtar.Archive) string {
	var b strings.Builder
	var pages, markets []provider.Payload
	for _, f := range a.Files {
		switch p := payload(f); {
		case adapter.IsListing(p.Endpoint):
			pages = append(pages, p)
		case adapter.IsMarkets(p.Endpoint):
			markets = append(markets, p)
		}
	}
	l, err := adapter.ReadListing(pages)
	if err != nil {
		fmt.Fprintf(&b, "listing: error: %v\n", err)
	}
	providertest.WriteListing(&b, l)
	for _, p := range markets {
		s, err := adapter.ReadMarkets(p, l)
		if err != nil {
			fmt.Fprintf(&b, "%s: error: %v\n", p.Endpoint, err)
			continue
		}
		fmt.Fprintf(&b, "%s, bookmaker %q, parts %v, damaged %v\n", p.Endpoint, p.Query.Get("bookmakers"), s.Met, s.Hurt)
		writeSheet(&b, s)
	}
	return b.String()
}

func writeSheet(b *strings.Builder, s provider.Sheet) {
	for _, f := range s.Fixtures {
		x := f.Fixture
		fmt.Fprintf(b, "fixture %s: %s - %s, %s, %s, partial %v\n", x.ProviderFixtureID, providertest.Said(x.Home), providertest.Said(x.Away), providertest.Said(x.League), providertest.Start(x.StartsAt), f.Partial)
		for _, o := range f.Offers {
			claim := "RAW " + string(o.RawReason)
			if o.Reading != nil {
				claim = strings.TrimSpace(o.Reading.Market + " " + o.Reading.Period + " " + string(o.Reading.Condition))
			}
			fmt.Fprintf(b, "  %s, name %q: %s\n", o.Key, providertest.Said(o.Name), claim)
			for _, row := range o.Rows {
				b.WriteString("   ")
				for _, l := range row.Labels {
					fmt.Fprintf(b, " %s=%q", l.Field, l.Text)
				}
				fmt.Fprintf(b, " decimal %s", providertest.Said(row.Decimal))
				if other, ok := row.OtherPrice.Get(); ok {
					fmt.Fprintf(b, ", other %s", other)
				}
				if row.Trouble != "" {
					fmt.Fprintf(b, ", %s", row.Trouble)
				}
				b.WriteString("\n")
			}
		}
	}
	providertest.WriteProblems(b, s)
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
