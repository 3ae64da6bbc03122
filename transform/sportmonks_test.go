package transform_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/transform"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/reading"
)

// onlySportmonks is a list of providers with one.
func onlySportmonks(name string) (provider.Provider, bool) {
	return sportmonks.Provider(), name == sportmonks.Name
}

// TestSportmonksWords: how bookmakers word the rows of a market, and what it then is. A row is label, name,
// total, dp3 and value.
func TestSportmonksWords(t *testing.T) {
	for _, c := range []struct {
		what, market, name string
		rows               []string
		want               string
	}{
		{"codes and names (bet365, August 2026)", "1", "Full Time Result", []string{"1|Bodo/Glimt||1.22", "X|Draw||6.00", "2|NEC||10.00"}, "MATCH_RESULT FT: HOME DRAW AWAY"},
		{"a side and the name of the other", "1", "Full Time Result", []string{"1|NEC||1.22", "X|Draw||6.00", "2|NEC||10.00"}, "MATCH_RESULT FT: AMBIGUOUS_SHAPE DRAW AWAY"},
		{"a side and more than the name", "1", "Full Time Result", []string{"1|Bodo/Glimt Yes||1.22", "X|Draw||6.00", "2|NEC||10.00"}, "MATCH_RESULT FT: UNRESOLVED_QUALIFIER DRAW AWAY"},
		{"two results in codes and names", "2", "Double Chance", []string{"1X|Bodo/Glimt or Draw||1.03", "X2|NEC or Draw||4.00", "12|Bodo/Glimt or NEC||1.11"}, "DOUBLE_CHANCE FT: 1X X2 12"},
		{"two results that disagree", "2", "Double Chance", []string{"1X|NEC or Draw||1.03", "X2|NEC or Draw||4.00"}, "DOUBLE_CHANCE FT: AMBIGUOUS_SHAPE X2"},
		{"a bet that a draw refunds", "10", "Draw No Bet", []string{"1|Bodo/Glimt||1.06", "2|NEC||8.00"}, "DRAW_NO_BET FT: HOME AWAY"},
		{"the result of the first half", "31", "Half Time Result", []string{"1|Bodo/Glimt||1.60", "X|Draw||2.80", "2|NEC||7.00"}, "MATCH_RESULT 1H: HOME DRAW AWAY"},
		{"half-time and full-time", "29", "Half Time/Full Time", []string{"1/1|Bodo/Glimt - Bodo/Glimt||1.60", "X/2|Draw - NEC||15.00"}, "HALF_TIME_FULL_TIME FT: HOME/HOME DRAW/AWAY"},
		{"a result without its draw", "1", "Full Time Result", []string{"1|||1.22", "2|||4.00"}, "RAW CONDITION_FAILED: MARKET_NOT_MAPPED MARKET_NOT_MAPPED"},
		{"a draw that refunds", "52", "Home/Away", []string{"Home|Home||1.22", "Away|Away||4.00"}, "DRAW_NO_BET FT: HOME AWAY"},
		{"corners over or under a line", "68", "Total Corners", []string{"Over||8|1.25", "Under||8|4.00"}, "TOTAL_CORNERS FT: OVER UNDER"},
		{"corners in bands", "68", "Total Corners", []string{"Under 6|||9.00", "6 - 8|||3.50", "Over 14|||9.00"}, "CORNERS_RANGE FT: 0-5 6-8 15+"},
		{"corners in bands and over a line", "68", "Total Corners", []string{"6 - 8|||3.50", "Over||14|9.00"}, "RAW CONDITION_FAILED: MARKET_NOT_MAPPED MARKET_NOT_MAPPED"},
		{"prices, one of which is cut", "14", "Both Teams To Score", []string{"Yes|||1.727|1.72", "No|||2.105|2.11"}, "BOTH_TEAMS_TO_SCORE FT: YES NO"},
		{"prices that contradict each other", "14", "Both Teams To Score", []string{"Yes|||1.750|3.75", "No|||2.100|2.09"}, "BOTH_TEAMS_TO_SCORE FT: SUSPECT AMBIGUOUS_SHAPE YES SUSPECT AMBIGUOUS_SHAPE NO"},
	} {
		var rows []string
		for i, row := range c.rows {
			words := append(strings.Split(row, "|"), "", "", "", "")
			rows = append(rows, fmt.Sprintf(`{"id":%d,"fixture_id":1,"market_id":%s,"bookmaker_id":2,"label":%q,"name":%q,"total":%q,"market_description":%q,"dp3":%q,"value":%q,"stopped":false}`,
				i+1, c.market, words[0], words[1], words[2], c.name, words[3], cmp.Or(words[4], words[3])))
		}
		body := `{"data":[` + strings.Join(rows, ",") + `]}`
		sheet, err := sportmonks.Provider().Markets.ReadMarkets(provider.Payload{Endpoint: "odds/pre-match/fixtures", Body: []byte(body)}, provider.Listing{})
		if err != nil || len(sheet.Fixtures) != 1 {
			t.Fatalf("%v, %+v", err, sheet)
		}
		f := football.Fixture{ProviderFixtureID: "1", Home: football.Of("Bodo/Glimt"), Away: football.Of("NEC")}
		var got []string
		for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, sportmonks.Name), f, sheet.Fixtures[0].Offers) {
			words := []string{m.Canonical + " " + m.Period + ":"}
			if m.RawReason != "" {
				words = []string{"RAW " + string(m.RawReason) + ":"}
			}
			for _, s := range m.Selections {
				switch r := s.Quality.Reasons; {
				case s.Quality.Publishable:
					words = append(words, s.Selection)
				case c.name == "Both Teams To Score":
					words = append(words, string(s.Quality.Status), fmt.Sprint(r[0]), s.Selection)
				default:
					words = append(words, fmt.Sprint(r[0]))
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %s, want %s", c.what, strings.Join(got, "; "), c.want)
		}
	}
}

// TestSportmonksUnreadable: an answer that cannot be read is that of the fixtures that
// its path names.
func TestSportmonksUnreadable(t *testing.T) {
	body, err := os.ReadFile("../fetch/provider/sportmonks/testdata/read/listing.json")
	must(t, err)
	mem := newMem()
	out, err := raw.Create(mem, cycleID, nil)
	must(t, err)
	for _, r := range []struct{ endpoint, path, body string }{
		{"fixtures/between", "/v3/football/fixtures/between/2026-11-20/2026-12-04", string(body)},
		{"fixtures/multi", "/v3/football/fixtures/multi/9001,9002", `{"data":`},
		{"fixtures/multi", "/v3/football/fixtures/multi/9006", `{"data":[{"id":9006,"odds":[]}]}`},
	} {
		_, err := out.Add(raw.Response{Endpoint: r.endpoint, Path: r.path, Query: url.Values{}, Attempt: 1, Status: 200, FetchedAt: began}, []byte(r.body))
		must(t, err)
	}
	_, err = out.Seal(raw.Cycle{ClientID: "acme", Product: football.MarketEngine, Provider: sportmonks.Name, StartedAt: began,
		FinishedAt: began.Add(time.Minute), Outcome: raw.Complete, ListingComplete: true})
	must(t, err)
	o := options(mem, mem)
	o.Provider = onlySportmonks
	if _, err := transform.Run(context.Background(), o); !errors.Is(err, reading.ErrQuarantined) {
		t.Errorf("two of three fixtures cannot be read: %v", err)
	}
}
