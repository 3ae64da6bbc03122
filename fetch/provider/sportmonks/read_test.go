package sportmonks_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var (
	adapter = sportmonks.Provider().Markets
	live    = sportmonks.Provider().Live
)

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// own reads one of the payloads written for this package.
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
				must(t, err)
				var b strings.Builder
				providertest.WriteListing(&b, l)
				got = b.String()
			case "inplay":
				s, err := live.ReadList([]provider.Payload{p})
				got = showLive(s, err)
			default:
				p.Endpoint = "fixtures/multi"
				s, err := adapter.ReadMarkets(p, provider.Listing{})
				must(t, err)
				var b strings.Builder
				providertest.WriteSheet(&b, s)
				got = b.String()
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func showFixture(f *football.Fixture) string {
	return fmt.Sprintf("%s: %s - %s, %s, %s", f.ProviderFixtureID, providertest.Said(f.Home), providertest.Said(f.Away), providertest.Said(f.League), providertest.Start(f.StartsAt))
}

func showLive(s provider.LiveSheet, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: %v, complete=%v\n", err, s.Complete)
	for i := range s.Samples {
		x := &s.Samples[i]
		f := football.Fixture{ProviderFixtureID: x.ProviderFixtureID, Home: x.Home, Away: x.Away, League: x.League, StartsAt: x.StartsAt}
		c := x.Clock
		fmt.Fprintf(&b, "%s\n  status %d, score %s-%s, half %s, clock %s:%s +%s, running %s\n", showFixture(&f), x.Status, providertest.Said(x.Score.Home), providertest.Said(x.Score.Away),
			providertest.Said(c.Half), providertest.Said(c.Minute), providertest.Said(c.Second), providertest.Said(c.Added), providertest.Said(c.Running))
		for _, n := range x.Counters {
			fmt.Fprintf(&b, "  %s %s %s\n", n.Metric, showNumber(n.Home), showNumber(n.Away))
		}
		incidents, _ := x.Incidents.Get()
		for _, n := range incidents {
			fmt.Fprintf(&b, "  %s %s %d+%d %s %q\n", n.ID, n.Kind, n.Minute, n.Added, n.Side, n.Text)
		}
	}
	providertest.WriteCounts(&b, "filtered", s.Filtered)
	providertest.WriteCounts(&b, "broken", s.Broken)
	providertest.WriteCounts(&b, "damaged", s.Damaged)
	providertest.WriteCounts(&b, "unknown", s.Unknown)
	return b.String()
}

func showNumber(f football.Field[football.Number]) string {
	if n, ok := f.Get(); ok {
		return n.Text()
	}
	return providertest.Said(f)
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
	rule := sportmonks.Provider().Table().Rule
	if line := rule("sportmonks/markets.csv:6"); !strings.Contains(line, "ASIAN_HANDICAP") || rule("sportmonks/markets.csv:9999") != "" {
		t.Errorf("rule 6 is %q", line)
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
