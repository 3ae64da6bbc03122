package transform_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/needs"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// expected says how the recordings of a provider are read, of which somebody wrote
// down by hand what their rows mean: testdata/expected/<provider>.csv.
var expected = []struct {
	provider provider.Provider
	// payload returns the endpoint and the answer of which a recording is the part
	// below the path prefix: some recorders kept no envelope.
	payload func(file string, body []byte) (endpoint string, answer []byte, prefix string)
	// queries are those by which every row of the answer is read once.
	queries func(answer []byte) []url.Values
	listing func(file string) provider.Listing
	// unserved are the folders whose rows no product serves: they may stay RAW.
	unserved []string
}{
	{
		provider: sportmonks.Provider(),
		payload: func(file string, body []byte) (string, []byte, string) {
			if strings.Contains(file, "/fixture_by_id_with_odds/") {
				return "fixtures/multi", slices.Concat([]byte(`{"data":`), body, []byte(`}`)), ".data"
			}
			return "odds/pre-match/fixtures", body, ""
		},
		queries:  sportmonksBookmakers,
		unserved: []string{"odds_inplay_by_fixture"}, // odds in play
	},
}

// sportmonksBookmakers are the queries for each bookmaker of an answer.
func sportmonksBookmakers(answer []byte) (queries []url.Values) {
	var rows struct{ Data json.RawMessage }
	var all []struct {
		Bookmaker int `json:"bookmaker_id"`
	}
	var fixture struct{ Odds json.RawMessage }
	if json.Unmarshal(answer, &rows) != nil {
		return nil
	}
	if json.Unmarshal(rows.Data, &fixture) == nil {
		rows.Data = fixture.Odds
	}
	if json.Unmarshal(rows.Data, &all) != nil {
		return nil
	}
	met := make(map[int]bool)
	for _, row := range all {
		if !met[row.Bookmaker] {
			met[row.Bookmaker] = true
			queries = append(queries, url.Values{"filters": {"bookmakers:" + strconv.Itoa(row.Bookmaker)}})
		}
	}
	return queries
}

// readRow is what the engine makes of one row of a payload.
type readRow struct {
	market    *football.Market
	selection *football.Selection
}

// TestExpected holds what the engine makes of recorded rows against what a person read
// in them, who had not seen any code.
func TestExpected(t *testing.T) {
	for _, e := range expected {
		t.Run(e.provider.Name, func(t *testing.T) {
			lines := readExpected(t, e.provider.Name)
			shared := needs.Shared(t, "providers", e.provider.Name)
			files := make(map[string]map[string]readRow)
			tested := 0
			for _, line := range lines {
				file := line["payload"]
				if files[file] == nil {
					body, err := os.ReadFile(filepath.Join(filepath.Dir(shared), file))
					if err != nil {
						t.Fatal(err)
					}
					endpoint, answer, prefix := e.payload(file, body)
					var l provider.Listing
					if e.listing != nil {
						l = e.listing(file)
					}
					files[file] = make(map[string]readRow)
					for _, query := range e.queries(answer) {
						p := provider.Payload{Endpoint: endpoint, Query: query, Body: answer}
						readRows(t, e.provider, p, l, prefix, files[file])
					}
				}
				tested++
				row, ok := files[file][line["pointer"]]
				if !ok {
					t.Errorf("%s %s: the row is not read", file, line["pointer"])
					continue
				}
				unserved := slices.ContainsFunc(e.unserved, func(folder string) bool { return strings.Contains(file, "/"+folder+"/") })
				if wrong := differs(line, row); wrong != "" && !(unserved && row.market.Origin == football.Raw) {
					t.Errorf("%s %s: %s\n%v\nwant %s %s subject %q line %q selection %q, %s: %s", file, line["pointer"], wrong, row.selection.Labels,
						line["canonical"], line["period"], line["subject"], line["line"], line["selection"], line["verdict"], line["why"])
				}
			}
			if tested == 0 {
				t.Error("no row was tested")
			}
		})
	}
}

// readExpected reads the lines of a table by the names of its columns.
func readExpected(t *testing.T, name string) (lines []map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/expected", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range all[1:] {
		line := make(map[string]string)
		for i, column := range all[0] {
			line[column] = record[i]
		}
		lines = append(lines, line)
	}
	return lines
}

// readRows adds the rows of an answer by their JSON pointers below prefix.
func readRows(t *testing.T, of provider.Provider, p provider.Payload, l provider.Listing, prefix string, into map[string]readRow) {
	t.Helper()
	p.Trace = new(provider.Trace)
	sheet, err := of.Markets.ReadMarkets(p, l)
	if err != nil {
		t.Fatal(err)
	}
	deriver := markets.New(identity.NewMinter(identity.Key{1}, of.Name))
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		all := deriver.Derive(&f.Fixture, f.Offers)
		for m := range all {
			for s := range all[m].Selections {
				selection := &all[m].Selections[s]
				for _, found := range p.Trace.Of(provider.Subject{Row: selection.Place}) {
					if found.Field == provider.FieldThing {
						path := strings.TrimPrefix(found.Path, prefix)
						into[strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path)] = readRow{&all[m], selection}
					}
				}
			}
		}
	}
}

// differs says in what a row is not what was expected, "" if it is.
func differs(line map[string]string, row readRow) string {
	m, s := row.market, row.selection
	if line["verdict"] == "RAW" {
		if m.Origin != football.Raw {
			return "it is mapped to " + m.Canonical
		}
		return ""
	}
	if m.Origin == football.Raw {
		return "it is RAW: " + string(m.RawReason)
	}
	if m.Canonical != line["canonical"] || m.Period != line["period"] {
		return "it is of " + m.Canonical + " " + m.Period
	}
	if price := s.Odds.Decimal().Or(""); line["decimal"] != "" && price != line["decimal"] {
		return "the price is " + price
	}
	if line["verdict"] == "UNPUBLISHABLE" {
		if s.Quality.Publishable {
			return "it is publishable"
		}
		return ""
	}
	for _, reason := range s.Quality.Reasons {
		if reason != football.Suspended {
			return "it is not publishable: " + string(reason)
		}
	}
	selection, subject, number := wordsOf(s)
	if selection != line["selection"] || subject != line["subject"] || number != line["line"] {
		return "it says subject " + subject + ", line " + number + ", selection " + selection
	}
	return ""
}

// wordsOf are a selection's words as the tables write them: a target or an ordinal
// stands in the place of the line, and the last band of minutes ends with the match.
func wordsOf(s *football.Selection) (selection, subject, number string) {
	selection, subject, number = s.Selection, s.Subject, s.Line
	if subject == "" {
		subject = s.Subject2
	}
	if number == "" {
		number = strings.TrimSuffix(strings.Replace(s.Qualifier, "FIRST", "1", 1), "+")
	}
	if selection == "81+" {
		selection = "81-90"
	}
	return selection, subject, number
}

// TestSportmonksForms: every market of the table is one that the engine has a form for.
func TestSportmonksForms(t *testing.T) {
	var rows []string
	for id := 1; id <= 400; id++ {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"fixture_id":1,"market_id":%d,"bookmaker_id":2,"label":"?"}`, id, id))
	}
	p := provider.Payload{Endpoint: "odds/pre-match/fixtures", Body: []byte(`{"data":[` + strings.Join(rows, ",") + `]}`)}
	sheet, err := sportmonks.Provider().Markets.ReadMarkets(p, provider.Listing{})
	if err != nil || len(sheet.Fixtures) != 1 || len(sheet.Fixtures[0].Offers) != 400 {
		t.Fatalf("%v, %+v", err, sheet.Met)
	}
	mapped := 0
	for _, o := range sheet.Fixtures[0].Offers {
		if o.Reading == nil {
			continue
		}
		mapped++
		fixture := football.Fixture{Home: football.Of("Entente"), Away: football.Of("Beaulieu")}
		for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, sportmonks.Name), fixture, []input.Offer{o}) {
			if m.RawReason == football.NeverMapped {
				t.Errorf("%s: the engine cannot read %s %s", o.Reading.Rule, o.Reading.Market, o.Reading.Period)
			}
		}
	}
	if mapped != 188 {
		t.Errorf("%d markets have a reading", mapped)
	}
}
