package apifootball_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/publish/football"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = apifootball.Provider().Markets

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// TestGoldens reads the payloads of testdata/read: listing*.json are answers of
// fixtures, markets*.json answers of odds, want what they say.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d goldens", err, len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file, readAll) })
	}
}

// golden compares what the payloads of a file say with its last part.
func golden(t *testing.T, file string, say func(a *txtar.Archive) string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := &a.Files[len(a.Files)-1]
	if want.Name != "want" {
		t.Fatalf("the last file is %s, not want", want.Name)
	}
	got := say(a)
	if diff := cmp.Diff(string(want.Data), got); diff != "" && !*update {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want.Data = []byte(got); *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
	for _, id := range slices.Sorted(maps.Keys(l.Fixtures)) {
		f := l.Fixtures[id]
		fmt.Fprintf(&b, "listed %s: %s - %s, %s, %s", id, said(f.Home), said(f.Away), said(f.League), start(f.StartsAt))
		if f.Over {
			b.WriteString(", over")
		}
		b.WriteString("\n")
	}
	writeCounts(&b, "filtered", l.Filtered)
	writeCounts(&b, "broken", l.Broken)
	writeCounts(&b, "damaged", l.Damaged)
	writeCounts(&b, "unknown", l.Unknown)
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
		fmt.Fprintf(b, "fixture %s: %s - %s, %s, %s, fetched %s\n", x.ProviderFixtureID, said(x.Home), said(x.Away), said(x.League),
			start(x.StartsAt), x.FetchedAt.Format("15:04:05"))
		if f.Partial {
			b.WriteString("  partial\n")
		}
		for _, o := range f.Offers {
			writeOffer(b, o)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Broken)) {
		fmt.Fprintf(b, "broken %s: %s\n", id, s.Broken[id])
	}
	writeCounts(b, "damaged", s.Damaged)
	writeCounts(b, "unknown", s.Unknown)
	writeCounts(b, "skipped", s.Skipped)
	fmt.Fprintf(b, "met %+v, hurt %+v\n", s.Met, s.Hurt)
}

func writeOffer(b *strings.Builder, o input.Offer) {
	fmt.Fprintf(b, "  %s, id %q, name %q\n", o.Key, strings.Join(o.ProviderIDs, "|"), said(o.Name))
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
		fmt.Fprintf(b, " decimal %s", said(row.Decimal))
		if row.Trouble != "" {
			fmt.Fprintf(b, ", %s", row.Trouble)
		}
		b.WriteString("\n")
	}
}

func writeCounts(b *strings.Builder, what string, counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "%s %d × %s\n", what, counts[name], name)
	}
}

// said writes a field in one of its three states.
func said[T any](f football.Field[T]) string {
	switch v, ok := f.Get(); {
	case ok:
		return fmt.Sprint(v)
	case f.State() == football.Null:
		return "null"
	}
	return "absent"
}

func start(f football.Field[time.Time]) string {
	if t, ok := f.Get(); ok {
		return t.Format(time.RFC3339)
	}
	return said(f)
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

// TestErrorsHoldNoPayload: what a stranger wrote does not get into an error.
func TestErrorsHoldNoPayload(t *testing.T) {
	body := []byte(`{"errors":[],"response":[{"fixture":"1","canary-0815":nonsense}]}`)
	_, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
	if err == nil || bytes.Contains([]byte(err.Error()), []byte("canary")) {
		t.Errorf("%v", err)
	}
}
