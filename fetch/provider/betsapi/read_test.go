package betsapi_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = betsapi.Provider().Markets

var fetchedAt = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// TestGoldens reads the payloads of testdata/read: listing*.json are pages of
// bet365/upcoming, markets*.json answers of bet365/prematch, want what they say.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, "testdata/read/*.txtar", *update, readAll)
}

// readAll reads a golden's payloads and writes down what they say.
func readAll(a *txtar.Archive) string {
	var b strings.Builder
	var pages []provider.Payload
	for i, f := range a.Files {
		if strings.HasPrefix(f.Name, "listing") {
			pages = append(pages, provider.Payload{Number: i + 1, FetchedAt: fetchedAt, Body: f.Data})
		}
	}
	l, err := adapter.ReadListing(pages)
	if err != nil {
		fmt.Fprintf(&b, "listing: error: %v\n", err)
	}
	if len(pages) > 0 {
		providertest.WriteListing(&b, l)
	}
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "markets") {
			continue
		}
		s, err := adapter.ReadMarkets(provider.Payload{FetchedAt: fetchedAt.Add(time.Minute), Body: f.Data}, l)
		if err != nil {
			fmt.Fprintf(&b, "%s: error: %v\n", f.Name, err)
			continue
		}
		writeSheet(&b, s)
	}
	return b.String()
}

func writeSheet(b *strings.Builder, s provider.Sheet) {
	for _, f := range s.Fixtures {
		x := f.Fixture
		fmt.Fprintf(b, "fixture %s: %s - %s, %s, %s, fetched %s\n", x.ProviderFixtureID, providertest.Said(x.Home), providertest.Said(x.Away), providertest.Said(x.League),
			providertest.Start(x.StartsAt), x.FetchedAt.Format("15:04:05"))
		if f.Partial {
			b.WriteString("  partial\n")
		}
		for _, o := range f.Offers {
			writeOffer(b, o)
		}
	}
	providertest.WriteProblems(b, s)
}

func writeOffer(b *strings.Builder, o input.Offer) {
	fmt.Fprintf(b, "  %s, id %q, name %q, in %s\n", o.Key, strings.Join(o.ProviderIDs, "|"), providertest.Said(o.Name), strings.Join(o.Sections, ", "))
	if r := o.Reading; r != nil {
		words := []string{r.Market, r.Period, r.Subject, r.Parameter, string(r.Condition)}
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		fmt.Fprintf(b, "    = %s, rank %d, %s\n", strings.Join(words, " "), r.Rank, r.Rule)
	} else {
		fmt.Fprintf(b, "    RAW %s\n", o.RawReason)
	}
	for _, row := range o.Rows {
		fmt.Fprintf(b, "    %s:", providertest.Said(row.ID))
		for _, l := range row.Labels {
			fmt.Fprintf(b, " %s=%q", l.Field, l.Text)
		}
		fmt.Fprintf(b, " decimal %s, fractional %s", providertest.Said(row.Decimal), providertest.Said(row.Fractional))
		if row.Suspended {
			b.WriteString(", suspended")
		}
		if row.Trouble != "" {
			fmt.Fprintf(b, ", %s", row.Trouble)
		}
		b.WriteString("\n")
	}
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
