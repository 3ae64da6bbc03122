package transform_test

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/transform/coverage"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
)

var update = flag.Bool("update", false, "write the goldens again")

// recordings are the recorded football payloads. They hold no teams; these are
// the matches they are of.
var recordings = map[string][2]string{
	"football_v1_2017-06_arsenal_leicester.json": {"Arsenal", "Leicester"},
	"football_raw_2018-06_russia_saudi.json":     {"Russia", "Saudi Arabia"},
	"football_v3_2020-09_fulham_arsenal.json":    {"Fulham", "Arsenal"},
}

var participants = map[string]coverage.Teams{
	"65404844": {Home: "Arsenal", Away: "Leicester"}, "69223585": {Home: "Russia", Away: "Saudi Arabia"}, "92410137": {Home: "Fulham", Away: "Arsenal"},
}

// recorded opens the folder of recordings, which is not part of this
// repository.
func recorded(t testing.TB) fs.FS {
	t.Helper()
	dir := needs.Shared(t, "providers/betsapi/bet365-prematch")
	folder := fstest.MapFS{}
	for name := range recordings {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		folder["bet365-prematch/"+name] = &fstest.MapFile{Data: data}
	}
	return folder
}

// recordingsOf are the recordings of each provider for [TestRecordings]. Two payloads lack
// the names of the teams: they are those that the labels and the prices show.
var recordingsOf = []struct {
	provider provider.Provider
	folder   func(t testing.TB, name string) fs.FS
	who      map[string]coverage.Teams
	// suspicious is the number of markets by kind. All of them are the bookmakers' own
	// oddities: docs/mapping.md says which.
	suspicious map[suspicion.Kind]int
}{
	{betsapi.Provider(), func(t testing.TB, _ string) fs.FS { return recorded(t) }, participants, nil},
	{sportmonks.Provider(), recordedFolder, map[string]coverage.Teams{"233366": {Home: "Sparta Sarpsborg", Away: "Tromso"}},
		map[suspicion.Kind]int{suspicion.LinesOutOfOrder: 1, suspicion.UnmirroredHandicap: 2}},
	{apifootball.Provider(), recordedFolder, nil, map[suspicion.Kind]int{suspicion.UnmirroredHandicap: 1}},
	{theoddsapi.Provider(), recordedFolder, nil, map[suspicion.Kind]int{suspicion.OddMargin: 1}},
}

// recordedFolder opens all recordings of a provider.
func recordedFolder(t testing.TB, name string) fs.FS {
	return os.DirFS(needs.Shared(t, "providers", name))
}

// TestRecordings holds the tables in testdata/recordings and their totals in docs/mapping.md against
// the recordings, with the prices of every bookmaker in them, and pins how many markets are suspicious.
func TestRecordings(t *testing.T) {
	page, err := os.ReadFile("../docs/mapping.md")
	must(t, err)
	for _, c := range recordingsOf {
		t.Run(c.provider.Name, func(t *testing.T) {
			report, err := coverage.OfFolder(c.folder(t, c.provider.Name), c.provider, coverage.FolderOptions{EachBookmaker: true, Teams: c.who})
			must(t, err)
			suspicious := make(map[suspicion.Kind]int)
			for i := range report.Payloads {
				for _, m := range report.Payloads[i].Suspicions {
					suspicious[m.Kind]++
					t.Logf("%s, bookmaker %q, %s: %s %s %s: %s", report.Payloads[i].Name, report.Payloads[i].Bookmaker, m.Kind, m.Key, m.Canonical, m.Period, m.Seen)
				}
			}
			if !maps.Equal(suspicious, c.suspicious) {
				t.Errorf("suspicious markets by kind: %v, want %v", suspicious, c.suspicious)
			}
			file := filepath.Join("testdata/recordings", c.provider.Name+".md")
			var b strings.Builder
			summary := report.Summary()
			writeTables(&b, &summary)
			if *update {
				must(t, os.WriteFile(file, []byte(b.String()), 0o644))
			}
			if want, err := os.ReadFile(file); err != nil || b.String() != string(want) {
				t.Errorf("%s is not what the recordings yield (%v): go test ./transform -run TestRecordings -update. Now:\n%s", file, err, b.String())
			}
			row := fmt.Sprintf("| `%s` | %d | %s | %d | %s |\n", c.provider.Name, summary.Total.Markets, coverage.Percent(summary.Total.Mapped, summary.Total.Markets),
				summary.Total.Selections, coverage.Percent(summary.Total.Publishable+summary.Total.Suspended, summary.Total.Selections))
			if !strings.Contains(string(page), row) {
				t.Errorf("docs/mapping.md does not have the row %s", row)
			}
		})
	}
}

// writeTables writes the tables of a provider: the payloads, each counted once for each
// bookmaker, the names of the RAW markets, and the selections of mapped markets that are not
// publishable.
func writeTables(w io.Writer, s *coverage.Summary) {
	fmt.Fprint(w, "| payload | bookmakers | markets | mapped | RAW | listed without prices | selections | publishable | suspended |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := 0; i < len(s.Payloads); {
		first := &s.Payloads[i]
		var t coverage.Totals
		bookmakers := 0
		for ; i < len(s.Payloads) && s.Payloads[i].Payload == first.Payload; i++ {
			bookmakers++
			t.Add(s.Payloads[i].Totals)
		}
		if first.Error != "" {
			fmt.Fprintf(w, "| `%s` | not readable | | | | | | | |\n", path.Base(first.Payload))
			continue
		}
		fmt.Fprintf(w, "| `%s` | %d | %d | %d | %d | %d | %d | %d | %d |\n", path.Base(first.Payload), bookmakers, t.Markets, t.Mapped, t.Raw, t.WithoutPrices, t.Selections, t.Publishable, t.Suspended)
	}
	fmt.Fprintf(w, "\n%s of the markets are mapped, and %s of the selections are publishable or suspended.\n", coverage.Percent(s.Total.Mapped, s.Total.Markets),
		coverage.Percent(s.Total.Publishable+s.Total.Suspended, s.Total.Selections))
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	if len(s.Raw) > 0 {
		fmt.Fprint(w, "\nMarkets that stay RAW:\n\n| key | name | reason | markets | selections | for example |\n|---|---|---|---|---|---|\n")
	}
	for _, n := range s.Raw {
		fmt.Fprintf(w, "| `%s` | %s | `%s` | %d | %d | %s |\n", n.Key, cell(n.Name), n.Reason, n.Markets, n.Selections, cell(n.Example.Words))
	}
	if len(s.Unpublished) > 0 {
		fmt.Fprint(w, "\nSelections of mapped markets that are not publishable:\n\n| reason | key | market | selections | for example |\n|---|---|---|---|---|\n")
	}
	for _, u := range s.Unpublished {
		fmt.Fprintf(w, "| `%s` | `%s` | `%s` | %d | %s |\n", u.Reason, u.Key, strings.TrimSpace(u.Market+" "+u.Period+" "+u.Subject), u.Selections, cell(u.Example.Words))
	}
}

// recordedFixtures are the matches the recordings are of.
func recordedFixtures() map[string]provider.ListedFixture {
	all := make(map[string]provider.ListedFixture)
	for id, t := range participants {
		all[id] = provider.ListedFixture{Fixture: football.Fixture{Home: football.Of(t.Home), Away: football.Of(t.Away)}}
	}
	return all
}

// derived are the markets of one recording.
func derived(t *testing.T, folder fs.FS, name string) []football.Market {
	t.Helper()
	body, err := fs.ReadFile(folder, "bet365-prematch/"+name)
	must(t, err)
	listing := provider.Listing{Fixtures: recordedFixtures()}
	sheet, err := betsapi.Provider().Markets.ReadMarkets(provider.Payload{Body: body}, listing)
	if err != nil || len(sheet.Fixtures) != 1 {
		t.Fatalf("%d fixtures, %v", len(sheet.Fixtures), err)
	}
	f := &sheet.Fixtures[0]
	return markets.New(identity.NewMinter(identity.Key{1}, "betsapi")).Derive(&f.Fixture, f.Offers)
}

// chance is the probability in a price, margin included.
func chance(t *testing.T, s *football.Selection) float64 {
	if text, ok := s.Odds.Decimal().Get(); ok {
		price, err := strconv.ParseFloat(text, 64)
		must(t, err)
		return 1 / price
	}
	a, b, _ := strings.Cut(s.Odds.Fractional().Or(""), "/")
	over, err1 := strconv.ParseFloat(a, 64)
	under, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("%+v has no price", s)
	}
	return under / (over + under)
}

// book finds the selections of a market's key, by their meaning: those that are publishable, or
// would be if their price were more than 1.
type book map[string]float64

func books(t *testing.T, all []football.Market) map[string]book {
	byMarket := make(map[string]book)
	for i := range all {
		m := &all[i]
		if m.Origin != football.Mapped {
			continue
		}
		for k := range m.Selections {
			s := &m.Selections[k]
			if !s.Quality.Publishable && !slices.Equal(s.Quality.Reasons, []football.Reason{football.OddsNoOffer}) {
				continue
			}
			of := s.Subject
			if of != "HOME" && of != "AWAY" {
				of = ""
			}
			name := strings.TrimSpace(strings.Join([]string{m.Canonical, m.Period, of}, " "))
			if byMarket[name] == nil {
				byMarket[name] = make(book)
			}
			byMarket[name][strings.TrimSpace(s.Selection+" "+s.Line)] = chance(t, s)
		}
	}
	return byMarket
}

// TestPricesAgree checks the readings by the bookmaker's prices: a
// turned sign, a swapped side or a score the wrong way round would make his
// prices contradict each other.
func TestPricesAgree(t *testing.T) {
	folder := recorded(t)
	for name := range recordings {
		t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
			b := books(t, derived(t, folder, name))
			checkWhole(t, b)
			checkSteps(t, b)
			checkScores(t, b, "FT")
			checkScores(t, b, "1H")
			checkSides(t, b)
			checkHandicaps(t, b)
			checkHandicapDraws(t, b)
		})
	}
}

// TestPricesAgreeByBookmaker checks the readings of API-Football's prices in the same
// way, for each bookmaker by itself.
func TestPricesAgreeByBookmaker(t *testing.T) {
	for _, bookmaker := range []string{"1", "2", "3", "4", "5", "7", "8", "11", "13", "16", "32", "34"} {
		t.Run(bookmaker, func(t *testing.T) {
			b := books(t, marketsOf(t, "fixture_1378041.json", bookmaker))
			checkWhole(t, b)
			checkSteps(t, b)
			checkSides(t, b)
			checkHandicaps(t, b)
			if bookmaker == "2" || bookmaker == "4" || bookmaker == "8" { // the others' scores have a margin of their own
				checkScores(t, b, "FT")
			}
		})
	}
}

// marketsOf are the markets of one bookmaker in a recorded answer of API-Football.
func marketsOf(t *testing.T, payload, bookmaker string) []football.Market {
	t.Helper()
	folder := needs.Shared(t, "providers/apifootball")
	list, err := os.ReadFile(filepath.Join(folder, "fixtures/league_135_season_2025.json"))
	must(t, err)
	body, err := os.ReadFile(filepath.Join(folder, "odds", payload))
	must(t, err)
	p := apifootball.Provider()
	listing, err := p.Markets.ReadListing([]provider.Payload{{Number: 1, Endpoint: "fixtures", Body: list}})
	must(t, err)
	sheet, err := p.Markets.ReadMarkets(provider.Payload{Number: 1, Endpoint: "odds", Query: url.Values{"bookmaker": {bookmaker}}, Body: body}, listing)
	if err != nil || len(sheet.Fixtures) != 1 {
		t.Fatalf("%d fixtures, %v", len(sheet.Fixtures), err)
	}
	f := &sheet.Fixtures[0]
	return markets.New(identity.NewMinter(identity.Key{1}, p.Name)).Derive(&f.Fixture, f.Offers)
}

// checkWhole: the outcomes of a market together have a chance of one and the
// bookmaker's margin.
func checkWhole(t *testing.T, b map[string]book) {
	open := map[string]bool{"CORRECT_SCORE": true, "HALF_TIME_FULL_TIME_CORRECT_SCORE": true, "WINNING_MARGIN": true, "DOUBLE_CHANCE": true}
	for name, outcomes := range b {
		market, _, _ := strings.Cut(name, " ")
		term, _ := football.Lookup(market)
		if open[market] || strings.HasPrefix(term.Subject, "PLAYER") || len(outcomes) < 2 {
			continue
		}
		byLine := make(map[string]float64)
		number := make(map[string]int)
		for outcome, chance := range outcomes {
			at := strings.LastIndexByte(outcome, ' ')
			line := outcome[at+1:]
			if at < 0 {
				line = ""
			}
			if term.Line == football.AsianHandicap && strings.HasPrefix(outcome, "AWAY") {
				line = turned(line)
			}
			byLine[line] += chance
			number[line]++
		}
		for line, sum := range byLine {
			if number[line] < 2 || number[line] == 3 && strings.Contains(term.Selections, "&") { // a bookmaker may sell one half of a grid
				continue
			}
			if sum < 0.99 || sum > 1.40 {
				t.Errorf("%s %s: %d outcomes sum to %.3f", name, line, number[line], sum)
			}
		}
	}
}

func turned(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return "+" + line[1:]
	case strings.HasPrefix(line, "+"):
		return "-" + line[1:]
	}
	return line
}

// checkSteps: the more goals asked, the less likely over is, and the more likely
// under.
func checkSteps(t *testing.T, b map[string]book) {
	for name, outcomes := range b {
		market, _, _ := strings.Cut(name, " ")
		if term, _ := football.Lookup(market); term.Line != football.TotalLine || term.Selections != "OVER|UNDER" || strings.HasPrefix(term.Subject, "PLAYER") {
			continue
		}
		for _, way := range []struct {
			word string
			sign float64
		}{{"OVER", -1}, {"UNDER", 1}} {
			previous, last := math.NaN(), 0.0
			for q := 1; q < 400; q++ {
				line := float64(q) / 4
				c, ok := outcomes[way.word+" "+strconv.FormatFloat(line, 'f', -1, 64)]
				if !ok {
					continue
				}
				if !math.IsNaN(previous) && way.sign*(c-previous) < -0.03 { // several markets, each with its margin
					t.Errorf("%s %s: %.3f at %v, %.3f at %v", name, way.word, previous, last, c, line)
				}
				previous, last = c, line
			}
		}
	}
}

// checkScores: the scores that a side wins by add up to about its price to win.
func checkScores(t *testing.T, b map[string]book, period string) {
	result, scores := b["MATCH_RESULT "+period], b["CORRECT_SCORE "+period]
	if result == nil || scores == nil {
		t.Fatalf("no result or no scores of %s", period)
	}
	sums, all := map[string]float64{}, 0.0
	for score, c := range scores {
		h, a, _ := strings.Cut(score, "-")
		home, _ := strconv.Atoi(h)
		away, _ := strconv.Atoi(a)
		sums[[]string{"AWAY", "DRAW", "HOME"}[1+sign(home-away)]] += c
		all += c
	}
	for side, c := range result {
		want := c / (result["HOME"] + result["DRAW"] + result["AWAY"])
		if got := sums[side] / all; math.Abs(got-want) > 0.08 {
			t.Errorf("%s %s: scores say %.3f, the result %.3f", period, side, got, want)
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// checkSides: in every market about the sides the favourite is the same one.
func checkSides(t *testing.T, b map[string]book) {
	favourite, other := "HOME", "AWAY"
	if r := b["MATCH_RESULT FT"]; r["AWAY"] > r["HOME"] {
		favourite, other = other, favourite
	}
	for _, market := range []string{"MATCH_RESULT FT", "MATCH_RESULT 1H", "MATCH_RESULT 2H", "MATCH_RESULT 0-10", "DRAW_NO_BET FT", "FIRST_TEAM_TO_SCORE FT",
		"LAST_TEAM_TO_SCORE FT", "CORNERS_RESULT FT", "CORNERS_RACE FT", "NTH_CORNER FT", "LAST_CORNER FT"} {
		if m := b[market]; m != nil && m[favourite] <= m[other] {
			t.Errorf("%s: %s %.3f, %s %.3f", market, favourite, m[favourite], other, m[other])
		}
	}
	for _, c := range []struct{ market, selection string }{
		{"WIN_TO_NIL FT", "YES"}, {"WIN_EITHER_HALF FT", "YES"}, {"WIN_BOTH_HALVES FT", "YES"}, {"COME_FROM_BEHIND_AND_WIN FT", "YES"},
		{"TEAM_TO_SCORE_IN_BOTH_HALVES FT", "YES"}, {"TEAM_TO_SCORE 1H", "YES"}, {"TEAM_TO_SCORE 2H", "YES"}, {"TEAM_TO_SCORE_PENALTY FT", "YES"},
		{"CLEAN_SHEET FT", "YES"}, {"TEAM_TOTAL_GOALS FT", "OVER 1.5"}, {"TEAM_EXACT_GOALS FT", "3+"},
	} {
		strong, weak := b[c.market+" "+favourite][c.selection], b[c.market+" "+other][c.selection]
		if strong != 0 && weak != 0 && strong <= weak {
			t.Errorf("%s %s: favourite %.3f, other %.3f", c.market, c.selection, strong, weak)
		}
	}
	double := b["DOUBLE_CHANCE FT"]
	if result := b["MATCH_RESULT FT"]; (double["1X"] > double["X2"]) != (result["HOME"] > result["AWAY"]) {
		t.Errorf("double chance: %v", double)
	}
	for _, m := range []string{"HALF_TIME_FULL_TIME FT"} {
		if h := b[m]; h != nil && (h[favourite+"/"+favourite] <= h[other+"/"+other] || h["DRAW/"+favourite] <= h["DRAW/"+other]) {
			t.Errorf("%s: %v", m, h)
		}
	}
}

// checkHandicaps: a goal more for the home side makes it likelier, and the away side less
// likely.
func checkHandicaps(t *testing.T, b map[string]book) {
	for _, name := range []string{"ASIAN_HANDICAP FT", "ASIAN_HANDICAP 1H", "HANDICAP_RESULT FT", "HANDICAP_RESULT 1H", "CARDS_HANDICAP_RESULT FT"} {
		m := b[name]
		previous := map[string]float64{}
		for q := -60; q <= 60; q++ {
			line := fmt.Sprintf("%+g", float64(q)/4)
			if q == 0 {
				line = "0"
			}
			awayLine := line
			if strings.HasPrefix(name, "ASIAN") {
				awayLine = turned(line)
			}
			if c, ok := m["HOME "+line]; ok {
				if c < previous["HOME"]-0.01 {
					t.Errorf("%s home %s: %.3f after %.3f", name, line, c, previous["HOME"])
				}
				previous["HOME"] = c
			}
			if c, ok := m["AWAY "+awayLine]; ok {
				if before, met := previous["AWAY"]; met && c > before+0.01 {
					t.Errorf("%s away %s: %.3f after %.3f", name, line, c, before)
				}
				previous["AWAY"] = c
			}
		}
	}
}

// checkHandicapDraws: the handicap draw at home -1 is a home win by one.
func checkHandicapDraws(t *testing.T, b map[string]book) {
	for _, period := range []string{"FT", "1H"} {
		handicap, scores := b["HANDICAP_RESULT "+period], b["CORRECT_SCORE "+period]
		for line := -3; line <= 3; line++ {
			c, ok := handicap["DRAW "+fmt.Sprintf("%+d", line)]
			if !ok || line == 0 {
				continue
			}
			sum, opposite := 0.0, 0.0
			for score, c := range scores {
				h, a, _ := strings.Cut(score, "-")
				home, _ := strconv.Atoi(h)
				away, _ := strconv.Atoi(a)
				switch home - away {
				case -line:
					sum += c
				case line:
					opposite += c
				}
			}
			if math.Abs(sum-c) > math.Abs(opposite-c) {
				t.Errorf("%s draw at %+d costs %.3f; scores of that margin %.3f, of the opposite %.3f", period, line, c, sum, opposite)
			}
		}
	}
}
