package providertest

import (
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
	"mkt/publish/football"
)

// Goldens calls f with every golden: an archive of payloads whose last file, "want", is
// the adapter's reading of them.
func Goldens(t testing.TB, pattern string, f func(name string, a *txtar.Archive)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d goldens", err, len(files))
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if last := a.Files[len(a.Files)-1].Name; last != "want" {
			t.Fatalf("%s: the last file is %s, not want", file, last)
		}
		f(strings.TrimSuffix(filepath.Base(file), ".txtar"), a)
	}
}

// Compare compares the goldens with the results of say, and rewrites them if
// update is set.
func Compare(t *testing.T, pattern string, update bool, say func(a *txtar.Archive) string) {
	t.Helper()
	Goldens(t, pattern, func(name string, a *txtar.Archive) {
		t.Run(name, func(t *testing.T) {
			want := &a.Files[len(a.Files)-1]
			got := say(a)
			if diff := cmp.Diff(string(want.Data), got); diff != "" && !update {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if want.Data = []byte(got); update {
				if err := os.WriteFile(filepath.Join(filepath.Dir(pattern), name+".txtar"), txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// WriteListing writes a listing for a golden.
func WriteListing(b *strings.Builder, l provider.Listing) {
	for _, id := range slices.Sorted(maps.Keys(l.Fixtures)) {
		f := l.Fixtures[id]
		fmt.Fprintf(b, "listed %s: %s - %s, %s, %s", id, Said(f.Home), Said(f.Away), Said(f.League), Start(f.StartsAt))
		if f.Over {
			b.WriteString(", over")
		}
		b.WriteString("\n")
	}
	WriteCounts(b, "filtered", l.Filtered)
	WriteCounts(b, "broken", l.Broken)
	WriteCounts(b, "damaged", l.Damaged)
	WriteCounts(b, "unknown", l.Unknown)
}

// ReadAll returns an adapter's reading of the payloads of a golden: the listings, all
// together, and then each payload of markets. payload makes a payload of a file; one
// without an endpoint is skipped.
func ReadAll(m provider.MarketAdapter, a *txtar.Archive, payload func(txtar.File) provider.Payload) string {
	var b strings.Builder
	var pages, markets []provider.Payload
	for i, f := range a.Files {
		p := payload(f)
		p.Number = i + 1
		switch {
		case m.IsListing(p.Endpoint):
			pages = append(pages, p)
		case m.IsMarkets(p.Endpoint):
			markets = append(markets, p)
		}
	}
	l, err := m.ReadListing(pages)
	if err != nil {
		fmt.Fprintf(&b, "listing: error: %v\n", err)
	}
	WriteListing(&b, l)
	for _, p := range markets {
		name := a.Files[p.Number-1].Name
		s, err := m.ReadMarkets(p, l)
		if err != nil {
			fmt.Fprintf(&b, "%s: error: %v\n", name, err)
			continue
		}
		fmt.Fprintf(&b, "%s\n", name)
		WriteSheet(&b, s)
	}
	return b.String()
}

// PayloadsOf makes payloads of the files of a golden: listing*.json are answers of one
// endpoint, markets*.json answers of another that came a minute later.
func PayloadsOf(fetchedAt time.Time, listing, markets string) func(txtar.File) provider.Payload {
	return func(f txtar.File) provider.Payload {
		switch {
		case strings.HasPrefix(f.Name, "listing"):
			return provider.Payload{Endpoint: listing, FetchedAt: fetchedAt, Body: f.Data}
		case strings.HasPrefix(f.Name, "markets"):
			return provider.Payload{Endpoint: markets, FetchedAt: fetchedAt.Add(time.Minute), Body: f.Data}
		}
		return provider.Payload{}
	}
}

// SamplesOf returns the payloads of all goldens but some, for the suite.
func SamplesOf(t testing.TB, pattern string, payload func(txtar.File) provider.Payload, except ...string) map[string]Sample {
	t.Helper()
	samples := make(map[string]Sample)
	Goldens(t, pattern, func(golden string, a *txtar.Archive) {
		for _, f := range a.Files {
			if p := payload(f); p.Endpoint != "" && !slices.Contains(except, golden) {
				samples[golden+"/"+f.Name] = Sample{p.Endpoint, f.Data}
			}
		}
	})
	return samples
}

// WriteSheet writes the reading of a payload of markets for a golden.
func WriteSheet(b *strings.Builder, s provider.Sheet) {
	for _, f := range s.Fixtures {
		x := f.Fixture
		fmt.Fprintf(b, "fixture %s: %s - %s, %s, %s, fetched %s\n", x.ProviderFixtureID, Said(x.Home), Said(x.Away), Said(x.League), Start(x.StartsAt), x.FetchedAt.Format("15:04:05"))
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
	WriteCounts(b, "damaged", s.Damaged)
	WriteCounts(b, "unknown", s.Unknown)
	WriteCounts(b, "skipped", s.Skipped)
	fmt.Fprintf(b, "met %+v, hurt %+v\n", s.Met, s.Hurt)
}

func writeOffer(b *strings.Builder, o input.Offer) {
	fmt.Fprintf(b, "  %s", o.Key)
	if len(o.ProviderIDs) > 0 {
		fmt.Fprintf(b, ", id %q", strings.Join(o.ProviderIDs, "|"))
	}
	fmt.Fprintf(b, ", name %q", Said(o.Name))
	if len(o.Sections) > 0 {
		fmt.Fprintf(b, ", in %s", strings.Join(o.Sections, ", "))
	}
	b.WriteString("\n")
	if r := o.Reading; r != nil {
		words := []string{r.Market, r.Period, r.Subject, r.Parameter, string(r.Condition)}
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		fmt.Fprintf(b, "    = %s, rank %d, %s\n", strings.Join(words, " "), r.Rank, r.Rule)
	} else {
		fmt.Fprintf(b, "    RAW %s\n", o.RawReason)
	}
	for i := range o.Rows {
		writeRow(b, &o.Rows[i])
	}
}

// writeRow leaves out fields that the provider does not have at all.
func writeRow(b *strings.Builder, row *input.Row) {
	b.WriteString("   ")
	if row.ID.State() != football.Missing {
		fmt.Fprintf(b, " %s:", Said(row.ID))
	}
	for _, l := range row.Labels {
		fmt.Fprintf(b, " %s=%q", l.Field, l.Text)
	}
	fmt.Fprintf(b, " decimal %s", Said(row.Decimal))
	if row.Fractional.State() != football.Missing {
		fmt.Fprintf(b, ", fractional %s", Said(row.Fractional))
	}
	if row.OtherPrice.State() != football.Missing {
		fmt.Fprintf(b, ", other %s", Said(row.OtherPrice))
	}
	if row.Suspended {
		b.WriteString(", suspended")
	}
	if row.Trouble != "" {
		fmt.Fprintf(b, ", %s", row.Trouble)
	}
	b.WriteString("\n")
}

// WriteCounts writes counts for a golden.
func WriteCounts(b *strings.Builder, what string, counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "%s %d × %s\n", what, counts[name], name)
	}
}

// Said writes a field in one of its three states.
func Said[T any](f football.Field[T]) string {
	switch v, ok := f.Get(); {
	case ok:
		return fmt.Sprint(v)
	case f.State() == football.Null:
		return "null"
	}
	return "absent"
}

// Start writes a kick-off in one of its three states.
func Start(f football.Field[time.Time]) string {
	if t, ok := f.Get(); ok {
		return t.Format(time.RFC3339)
	}
	return Said(f)
}

var statuses = map[input.PlayStatus]string{input.NotStarted: "not started", input.InPlay: "in play", input.Halted: "halted", input.Over: "over", input.Off: "off"}

// WriteLive writes the reading of a list of matches in play, or of details, for a golden.
func WriteLive(b *strings.Builder, what string, s provider.LiveSheet) {
	fmt.Fprintf(b, "%s, complete %v\n", what, s.Complete)
	for i := range s.Samples {
		x := &s.Samples[i]
		c := x.Clock
		fmt.Fprintf(b, "%s: %s - %s, %s, %s, %s, %s-%s\n", x.ProviderFixtureID, Said(x.Home), Said(x.Away), Said(x.League), Start(x.StartsAt), statuses[x.Status], Said(x.Score.Home), Said(x.Score.Away))
		fmt.Fprintf(b, "  half %s, minute %s, second %s, added %s, running %s\n", Said(c.Half), Said(c.Minute), Said(c.Second), Said(c.Added), Said(c.Running))
		if x.CountersNotAsked {
			b.WriteString("  no counters in the answer\n")
		}
		for _, k := range x.Counters {
			fmt.Fprintf(b, "  %s %s/%s\n", k.Metric, SaidNumber(k.Home), SaidNumber(k.Away))
		}
		incidents, ok := x.Incidents.Get()
		if !ok {
			fmt.Fprintf(b, "  incidents %s\n", Said(x.Incidents))
		}
		for _, e := range incidents {
			fmt.Fprintf(b, "  %d+%d %s %s %q id %s\n", e.Minute, e.Added, e.Kind, e.Side, e.Text, e.ID)
		}
	}
	WriteCounts(b, "filtered", s.Filtered)
	WriteCounts(b, "broken", s.Broken)
	WriteCounts(b, "damaged", s.Damaged)
	WriteCounts(b, "unknown", s.Unknown)
}

// SaidNumber writes the number of a counter in one of its three states.
func SaidNumber(f football.Field[football.Number]) string {
	if n, ok := f.Get(); ok {
		return n.Text()
	}
	return Said(f)
}
