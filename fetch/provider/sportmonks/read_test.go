package sportmonks_test

import (
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

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/publish/football"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var (
	adapter = sportmonks.Provider().Markets
	live    = sportmonks.Provider().Live
)

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// own reads one of the payloads that were written for this package.
func own(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata/read", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestGoldens reads the payloads of testdata/read and compares the result with the goldens
// beside them.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"listing", "multi", "rows", "damaged", "nothing", "inplay"} {
		t.Run(name, func(t *testing.T) {
			p := provider.Payload{Number: 1, FetchedAt: fetchedAt, Body: own(t, name)}
			var got string
			switch name {
			case "listing":
				l, err := adapter.ReadListing([]provider.Payload{p})
				got = showListing(l, err)
			case "inplay":
				s, err := live.ReadList([]provider.Payload{p})
				got = showLive(s, err)
			default:
				p.Endpoint = "fixtures/multi"
				s, err := adapter.ReadMarkets(p, provider.Listing{})
				got = showSheet(s, err)
			}
			file := filepath.Join("testdata/read", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func showField[T any](f football.Field[T]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprint(v)
	}
	return map[football.State]string{football.Missing: "-", football.Null: "null"}[f.State()]
}

func showFixture(f *football.Fixture) string {
	at := "-"
	if v, ok := f.StartsAt.Get(); ok {
		at = v.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s: %s v %s, %s, %s", f.ProviderFixtureID, showField(f.Home), showField(f.Away), showField(f.League), at)
}

func showCounts(b *strings.Builder, what string, counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "%s %s: %d\n", what, name, counts[name])
	}
}

func showListing(l provider.Listing, err error) string {
	var b strings.Builder
	fmt.Fprintln(&b, "error:", err)
	for _, id := range slices.Sorted(maps.Keys(l.Fixtures)) {
		f := l.Fixtures[id]
		fmt.Fprintf(&b, "%s over=%v\n", showFixture(&f.Fixture), f.Over)
	}
	showCounts(&b, "filtered", l.Filtered)
	showCounts(&b, "broken", l.Broken)
	showCounts(&b, "damaged", l.Damaged)
	showCounts(&b, "unknown", l.Unknown)
	return b.String()
}

func showSheet(s provider.Sheet, err error) string {
	var b strings.Builder
	fmt.Fprintln(&b, "error:", err)
	for _, f := range s.Fixtures {
		fmt.Fprintf(&b, "%s partial=%v\n", showFixture(&f.Fixture), f.Partial)
		for _, o := range f.Offers {
			rule := "RAW " + string(o.RawReason)
			if o.Reading != nil {
				rule = fmt.Sprintf("%s %s %s %s", o.Reading.Market, o.Reading.Period, o.Reading.Subject, o.Reading.Rule)
			}
			fmt.Fprintf(&b, "  %s %v %q: %s\n", o.Key, o.ProviderIDs, showField(o.Name), rule)
			for _, r := range o.Rows {
				fmt.Fprintf(&b, "    %s %s", showField(r.ID), showField(r.Decimal))
				for _, l := range r.Labels {
					fmt.Fprintf(&b, " %s=%q", l.Field, l.Text)
				}
				if r.Suspended {
					b.WriteString(" suspended")
				}
				if r.Trouble != "" {
					b.WriteString(" " + string(r.Trouble))
				}
				b.WriteString("\n")
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Broken)) {
		fmt.Fprintf(&b, "broken %s: %s\n", id, s.Broken[id])
	}
	showCounts(&b, "damaged", s.Damaged)
	showCounts(&b, "unknown", s.Unknown)
	showCounts(&b, "skipped", s.Skipped)
	fmt.Fprintf(&b, "met %+v, hurt %+v\n", s.Met, s.Hurt)
	return b.String()
}

func showLive(s provider.LiveSheet, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: %v, complete=%v\n", err, s.Complete)
	for i := range s.Samples {
		x := &s.Samples[i]
		f := football.Fixture{ProviderFixtureID: x.ProviderFixtureID, Home: x.Home, Away: x.Away, League: x.League, StartsAt: x.StartsAt}
		c := x.Clock
		fmt.Fprintf(&b, "%s\n  status %d, score %s-%s, half %s, clock %s:%s +%s, running %s\n", showFixture(&f), x.Status, showField(x.Score.Home), showField(x.Score.Away),
			showField(c.Half), showField(c.Minute), showField(c.Second), showField(c.Added), showField(c.Running))
		for _, n := range x.Counters {
			fmt.Fprintf(&b, "  %s %s %s\n", n.Metric, showNumber(n.Home), showNumber(n.Away))
		}
		incidents, _ := x.Incidents.Get()
		for _, n := range incidents {
			fmt.Fprintf(&b, "  %s %s %d+%d %s %q\n", n.ID, n.Kind, n.Minute, n.Added, n.Side, n.Text)
		}
	}
	showCounts(&b, "filtered", s.Filtered)
	showCounts(&b, "broken", s.Broken)
	showCounts(&b, "damaged", s.Damaged)
	showCounts(&b, "unknown", s.Unknown)
	return b.String()
}

func showNumber(f football.Field[football.Number]) string {
	if n, ok := f.Get(); ok {
		return n.Text()
	}
	return showField(f)
}

// TestBookmaker: the rows of the bookmaker that the request names are read, and no
// other's.
func TestBookmaker(t *testing.T) {
	for query, want := range map[string]int{"": 17, "bookmakers:35": 3, "markets:1,80;bookmakers:35": 3, "bookmakers:9": 0, "bookmakers:x": 17} {
		p := provider.Payload{Endpoint: "fixtures/multi", Query: map[string][]string{"filters": {query}}, Body: own(t, "multi")}
		s, err := adapter.ReadMarkets(p, provider.Listing{})
		if err != nil {
			t.Fatal(err)
		}
		markets := map[string]bool{}
		for _, o := range s.Fixtures[0].Offers {
			markets[o.ProviderIDs[0]] = true
		}
		if query == "" || query == "bookmakers:x" {
			want = len(markets) // the default's, held against the golden
		}
		if len(markets) != want {
			t.Errorf("%q: %d markets, want %d", query, len(markets), want)
		}
	}
}

// TestListed: a fixture has the names of the listing if it is there, else its own.
func TestListed(t *testing.T) {
	l := provider.Listing{Fixtures: map[string]provider.ListedFixture{"9001": {Fixture: football.Fixture{Home: football.Of("Listed"), FetchedAt: fetchedAt.Add(-time.Hour)}}}}
	s, err := adapter.ReadMarkets(provider.Payload{Endpoint: "fixtures/multi", FetchedAt: fetchedAt, Body: own(t, "multi")}, l)
	if err != nil || len(s.Fixtures) != 2 || s.Fixtures[1].Fixture.Home.Or("") != "Étoile du Rhône" {
		t.Fatalf("%v, %+v", err, s.Fixtures)
	}
	if f := s.Fixtures[0].Fixture; f.Home.Or("") != "Listed" || f.FetchedAt != fetchedAt || f.ProviderFixtureID != "9001" || f.Provider != sportmonks.Name {
		t.Errorf("%+v", f)
	}
}

// TestTable: every line of the table is one that the engine can read or says why not,
// and every rule is found.
func TestTable(t *testing.T) {
	if sportmonks.Dialect() == nil {
		t.Fatal("no dialect")
	}
	rule := sportmonks.Provider().Rule
	if line := rule("sportmonks/markets.csv:6"); !strings.Contains(line, "ASIAN_HANDICAP") || rule("sportmonks/markets.csv:9999") != "" {
		t.Errorf("rule 6 is %q", line)
	}
}

// TestFilter: what is not football played by people is left out, and clubs whose names
// only sound like it are kept.
func TestFilter(t *testing.T) {
	for names, want := range map[[3]string]string{
		{"Esoccer Battle - 8 mins play", "Lens", "Nice"}:      "esoccer:league-name",
		{"E-Soccer Live", "Lens", "Nice"}:                     "esoccer:league-name",
		{"Cyber Live Arena", "Lens", "Nice"}:                  "cyber:league-name",
		{"National", "Lens (esports)", "Nice"}:                "esports:home-name",
		{"National", "Lens", "Nice E-Sports"}:                 "esports:away-name",
		{"National", "Atlètic Club d'Esports", "Nice"}:        "",
		{"Primera Catalana", "Unió Esports Vilassar", "Reus"}: "",
		{"National", "Lens", "Nice"}:                          "",
	} {
		body := fmt.Sprintf(`{"data":[{"id":1,"sport_id":1,"league":{"name":%q},"participants":[{"name":%q,"meta":{"location":"away"}},{"name":%q,"meta":{"location":"home"}}]}]}`, names[0], names[2], names[1])
		l, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}})
		if err != nil || len(l.Fixtures)+len(l.Filtered) != 1 || want != "" && l.Filtered[want] != 1 || want == "" && len(l.Fixtures) != 1 {
			t.Errorf("%v: %v, filtered %v, want %q", names, err, l.Filtered, want)
		}
	}
}

// TestTracedMarkets: every market is found at its first row, also one of
// several of an id, and one of the rows of Specials.
func TestTracedMarkets(t *testing.T) {
	body := `{"data":[
		{"id":1,"fixture_id":7,"market_id":6,"bookmaker_id":2,"label":"1","market_description":"Asian Handicap (0-0)"},
		{"id":2,"fixture_id":7,"market_id":6,"bookmaker_id":2,"label":"1","market_description":"Asian Handicap (1-0)"},
		{"id":3,"fixture_id":7,"market_id":127,"bookmaker_id":2,"label":"1","name":"To Win to Nil","market_description":"Specials"},
		{"id":4,"fixture_id":7,"market_id":127,"bookmaker_id":2,"label":"1","name":"To Win to Nil","market_description":"More Specials"}]}`
	trace := new(provider.Trace)
	s, err := adapter.ReadMarkets(provider.Payload{Endpoint: "odds/pre-match/fixtures", Body: []byte(body), Trace: trace}, provider.Listing{})
	if err != nil || len(s.Fixtures) != 1 || len(s.Fixtures[0].Offers) != 4 {
		t.Fatalf("%v, %+v", err, s)
	}
	for n, o := range s.Fixtures[0].Offers {
		found := trace.Of(provider.Subject{Fixture: "7", Market: o.Key})
		if len(found) != 3 || found[0].Path != fmt.Sprintf(".data[%d]", n) {
			t.Errorf("%s is found at %v", o.Key, found)
		}
	}
}
