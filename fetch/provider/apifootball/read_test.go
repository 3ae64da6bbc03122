package apifootball_test

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = apifootball.Provider().Markets

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// TestGoldens reads the payloads of testdata/read: listing*.json are answers of
// fixtures, markets*.json answers of odds, want what they say.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, "testdata/read/*.txtar", *update, readAll)
}

// readAll reads a golden's payloads and writes down what they say.
func readAll(a *txtar.Archive) string {
	var b strings.Builder
	var pages []provider.Payload
	for i, f := range a.Files {
		if strings.HasPrefix(f.Name, "listing") {
			pages = append(pages, provider.Payload{Number: i + 1, Endpoint: "fixtures", FetchedAt: fetchedAt, Body: f.Data})
		}
	}
	l, err := adapter.ReadListing(pages)
	if err != nil {
		fmt.Fprintf(&b, "listing: error: %v\n", err)
	}
	providertest.WriteListing(&b, l)
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "markets") {
			continue
		}
		s, err := adapter.ReadMarkets(provider.Payload{Endpoint: "odds", FetchedAt: fetchedAt.Add(time.Minute), Body: f.Data}, l)
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
	fmt.Fprintf(b, "met %+v, hurt %+v\n", s.Met, s.Hurt)
}

func writeOffer(b *strings.Builder, o input.Offer) {
	fmt.Fprintf(b, "  %s, id %q, name %q\n", o.Key, strings.Join(o.ProviderIDs, "|"), providertest.Said(o.Name))
	if r := o.Reading; r != nil {
		words := []string{r.Market, r.Period, r.Subject, r.Parameter, string(r.Condition)}
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		fmt.Fprintf(b, "    = %s, rank %d, %s\n", strings.Join(words, " "), r.Rank, r.Rule)
	} else {
		fmt.Fprintf(b, "    RAW %s\n", o.RawReason)
	}
	for _, row := range o.Rows {
		b.WriteString("   ")
		for _, l := range row.Labels {
			fmt.Fprintf(b, " %s=%q", l.Field, l.Text)
		}
		fmt.Fprintf(b, " decimal %s", providertest.Said(row.Decimal))
		if row.Trouble != "" {
			fmt.Fprintf(b, ", %s", row.Trouble)
		}
		b.WriteString("\n")
	}
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
