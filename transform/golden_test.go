package transform_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestGoldens compares every market and selection of the payloads in testdata with
// results that a person has approved. -update rewrites them.
func TestGoldens(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			must(t, err)
			file := func(name string) []byte {
				for _, f := range archive.Files {
					if f.Name == name {
						return f.Data
					}
				}
				return nil
			}
			got := goldenText(t, file("listing.json"), file("markets.json"))
			if got == string(file("want")) {
				return
			}
			if !*update {
				t.Errorf("got:\n%s\nwant:\n%s", got, file("want"))
				return
			}
			files := archive.Files[:0]
			for _, f := range archive.Files {
				if f.Name != "want" {
					files = append(files, f)
				}
			}
			archive.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
			must(t, os.WriteFile(name, txtar.Format(archive), 0o644))
		})
	}
}

func goldenText(t *testing.T, listing, body []byte) string {
	adapter := betsapi.Provider().Markets
	l, err := adapter.ReadListing([]provider.Payload{{Number: 1, Endpoint: "bet365/upcoming", Body: listing}})
	must(t, err)
	sheet, err := adapter.ReadMarkets(provider.Payload{Number: 2, Endpoint: "bet365/prematch", Body: body}, l)
	must(t, err)
	if len(sheet.Broken) > 0 {
		t.Fatalf("broken: %v", sheet.Broken)
	}
	var b strings.Builder
	d := markets.New(identity.NewMinter(identity.Key{1, 2, 3}, betsapi.Name))
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		fmt.Fprintf(&b, "%s - %s, %s\n", f.Fixture.Home.Or("?"), f.Fixture.Away.Or("?"), f.Fixture.League.Or("?"))
		for _, m := range d.Derive(&f.Fixture, f.Offers) {
			writeMarket(&b, &m)
		}
		for _, o := range f.Offers {
			if len(o.Rows) == 0 {
				fmt.Fprintf(&b, "\nwithout prices: %s\n", o.Key)
			}
		}
	}
	return b.String()
}

func writeMarket(b *strings.Builder, m *football.Market) {
	name := string(m.RawReason)
	if m.Origin == football.Mapped {
		name = m.Canonical + " " + m.Period
	}
	fmt.Fprintf(b, "\n%s %s %s\n  key %s, name %q, ids %v, sections %v, lines %v, rule %q\n", m.ID, m.Origin, name,
		m.Key, m.Name.Or(""), m.ProviderMarketIDs, m.Sections, m.Lines, m.Rule)
	for i := range m.Selections {
		s := &m.Selections[i]
		fmt.Fprintf(b, "  %s %s", s.ID[:9], s.Selection)
		for _, part := range []struct{ name, text string }{{"line", s.Line}, {"qualifier", s.Qualifier}, {"subject", s.Subject}, {"subject_2", s.Subject2}} {
			if part.text != "" {
				fmt.Fprintf(b, ", %s %s", part.name, part.text)
			}
		}
		if s.Grid != nil {
			fmt.Fprintf(b, ", at %s/%s", s.Grid.Row, s.Grid.Column)
		}
		fmt.Fprintf(b, " | odds %s %s", fieldWord(s.Odds.Decimal()), fieldWord(s.Odds.Fractional()))
		if !s.Quality.Publishable {
			fmt.Fprintf(b, " | %s %v %q", s.Quality.Status, s.Quality.Reasons, s.Labels)
		}
		b.WriteString("\n")
	}
}

func fieldWord(f football.Field[string]) string {
	switch f.State() {
	case football.Missing:
		return "missing"
	case football.Null:
		return "null"
	}
	return f.Or("")
}
