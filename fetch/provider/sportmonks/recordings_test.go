package sportmonks_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/sportmonks", path))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRecordings reads the prices of every bookmaker. The recorder of the first answer kept no envelope.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		file             string
		bookmakers, rows int
	}{
		{"fixture_by_id_with_odds/fixture_19611366.json", 17, 3833},
		{"odds_prematch_by_fixture/fixture_233366.json", 25, 851},
		{"odds_prematch_by_fixture_and_market/fixture_233366_market_56.json", 12, 126},
	} {
		t.Run(c.file, func(t *testing.T) {
			providertest.CheckRecorded(t, sportmonks.Provider(), recorded(t, c.file), c.bookmakers, c.rows)
		})
	}
}

// TestRecordedLists: lists are read without an unknown field.
func TestRecordedLists(t *testing.T) {
	for file, want := range map[string]int{"fixtures_by_date/page_1.json": 4, "livescores_inplay/page_1.json": 9, "no_result/commentaries_by_fixture.json": 0} {
		l, err := adapter.ReadListing([]provider.Payload{{Body: recorded(t, file)}})
		if err != nil || len(l.Fixtures) != want || len(l.Broken)+len(l.Unknown)+len(l.Damaged)+len(l.Filtered) > 0 {
			t.Errorf("%s: %v, %d fixtures, %+v", file, err, len(l.Fixtures), l)
		}
	}
	s, err := live.ReadList([]provider.Payload{{Body: recorded(t, "livescores_inplay/page_1.json")}})
	states := map[input.PlayStatus]int{}
	for i := range s.Samples {
		states[s.Samples[i].Status]++
	}
	if err != nil || states[input.NotStarted] != 7 || states[input.Over] != 1 || states[input.InPlay] != 1 || !s.Complete {
		t.Errorf("%v, %v, complete %v", err, states, s.Complete)
	}
}

// TestRecordedMatch: a match that ended in a shoot-out has the score of its 120
// minutes, and no kick of the shoot-out among its goals.
func TestRecordedMatch(t *testing.T) {
	s, err := live.ReadDetail(provider.Payload{Body: recorded(t, "fixture_by_id_with_statistics/fixture_19683241_after_penalties.json"), FetchedAt: fetchedAt})
	if err != nil || len(s.Samples) != 1 || len(s.Broken)+len(s.Damaged)+len(s.Unknown) > 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	x := &s.Samples[0]
	if x.Home.Or("") != "Paris Saint Germain" || x.Away.Or("") != "Arsenal" || x.Status != input.Over || x.Score.Home.Or(-1) != 1 || x.Score.Away.Or(-1) != 1 {
		t.Errorf("%+v", x)
	}
	if c := x.Clock; c.Minute.Or(-1) != 127 || c.Running.Or(true) || c.Added.Or(-1) != 3 {
		t.Errorf("clock %+v", c)
	}
	kinds := map[input.IncidentKind]string{}
	incidents, _ := x.Incidents.Get()
	for _, i := range incidents {
		kinds[i.Kind] += fmt.Sprintf("%s %d+%d ", i.Side, i.Minute, i.Added)
	}
	if goals := strings.Fields(kinds[input.IncidentGoal]); len(goals) != 4 || !slices.Contains(goals, "6+0") || !slices.Contains(goals, "65+0") || len(incidents) != 20 {
		t.Errorf("%d incidents, %v", len(incidents), kinds)
	}
	counters := map[football.Metric]string{}
	for _, c := range x.Counters {
		counters[c.Metric] = providertest.SaidNumber(c.Home) + " " + providertest.SaidNumber(c.Away)
	}
	for metric, want := range map[football.Metric]string{football.Corners: "11 3", football.RedCards: "", football.Penalties: "1 0"} {
		if counters[metric] != want {
			t.Errorf("%s is %q, want %q", metric, counters[metric], want)
		}
	}
	if len(x.Counters) != 39 {
		t.Errorf("%d counters", len(x.Counters))
	}
}
