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
			var b strings.Builder
			switch name {
			case "listing":
				l, err := adapter.ReadListing([]provider.Payload{p})
				must(t, err)
				providertest.WriteListing(&b, l)
			case "inplay":
				s, err := live.ReadList([]provider.Payload{p})
				must(t, err)
				providertest.WriteLive(&b, "list", s)
			default:
				p.Endpoint = "fixtures/multi"
				s, err := adapter.ReadMarkets(p, provider.Listing{})
				must(t, err)
				providertest.WriteSheet(&b, s)
			}
			file := filepath.Join("testdata/read", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
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
