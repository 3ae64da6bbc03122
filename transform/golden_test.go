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
	"mkt/fetch/provider/theoddsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// goldens are whose payloads the goldens hold, by folder.
var goldens = map[string]struct {
	provider         provider.Provider
	listing, markets string // endpoints
}{
	"testdata":            {betsapi.Provider(), "bet365/upcoming", "bet365/prematch"},
	"testdata/theoddsapi": {theoddsapi.Provider(), "events", "odds"},
}

// TestGoldens reads the payloads in testdata and compares every market and
// selection with a reading that a person has approved. -update writes them again.
func TestGoldens(t *testing.T) {
	var names []string
	for folder := range goldens {
		some, err := filepath.Glob(folder + "/*.txtar")
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: no goldens: %v", folder, err)
		}
		names = append(names, some...)
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
			got := goldenText(t, filepath.ToSlash(filepath.Dir(name)), file("listing.json"), file("markets.json"))
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

func goldenText(t *testing.T, folder string, listing, body []byte) string {
	g := goldens[folder]
	adapter := g.provider.Markets
	l, err := adapter.ReadListing([]provider.Payload{{Number: 1, Endpoint: g.listing, Body: listing}})
	must(t, err)
	sheet, err := adapter.ReadMarkets(provider.Payload{Number: 2, Endpoint: g.markets, Body: body}, l)
	must(t, err)
	if len(sheet.Broken) > 0 {
		t.Fatalf("broken: %v", sheet.Broken)
	}
	var b strings.Builder
	d := markets.New(identity.NewMinter(identity.Key{1, 2, 3}, g.provider.Name))
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
