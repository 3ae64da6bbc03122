package apifootball_test

import (
	"os"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/apifootball", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRecordedList: a whole season of one league, with one match in play.
func TestRecordedList(t *testing.T) {
	body := recorded(t, "fixtures/league_135_season_2025.json")
	l, err := adapter.ReadListing([]provider.Payload{{Number: 1, Endpoint: "fixtures", Body: body}})
	over := 0
	for _, f := range l.Fixtures {
		if f.Over {
			over++
		}
	}
	if err != nil || len(l.Fixtures) != 380 || over != 170 || len(l.Broken)+len(l.Damaged)+len(l.Unknown)+len(l.Filtered) > 0 {
		t.Errorf("%d fixtures, %d over, %+v, %v", len(l.Fixtures), over, l.Unknown, err)
	}
	s, err := live.ReadList([]provider.Payload{{Number: 1, Endpoint: "fixtures/live", Body: body}})
	if err != nil || len(s.Samples) != 380 || !s.Complete {
		t.Fatalf("%d samples, %v", len(s.Samples), err)
	}
	for i := range s.Samples {
		x := &s.Samples[i]
		minute, _ := x.Clock.Minute.Get()
		if x.Status == input.InPlay && (x.ProviderFixtureID != "1378040" || minute != 46 || !x.CountersNotAsked) {
			t.Errorf("%+v", x)
		}
	}
}

// TestRecordedOdds: every part of the recorded odds is known and undamaged.
func TestRecordedOdds(t *testing.T) {
	for name, want := range map[string][2]int{"odds/fixture_1378041.json": {70, 1043}, "odds/fixture_326090_bookmaker_6.json": {32, 164}} {
		s, err := adapter.ReadMarkets(provider.Payload{Body: recorded(t, name)}, provider.Listing{})
		if err != nil || len(s.Fixtures) != 1 || s.Met.Markets != want[0] || s.Met.Rows != want[1] || len(s.Damaged)+len(s.Unknown)+len(s.Broken)+len(s.Skipped) > 0 {
			t.Errorf("%s: %+v, %v", name, s.Met, err)
		}
	}
}

// TestRecordedDetails: two matches that ended in a shoot-out. Its kicks are not goals of the
// match, and null is not zero.
func TestRecordedDetails(t *testing.T) {
	s, err := live.ReadDetail(provider.Payload{Number: 1, Endpoint: "fixtures/ids", Body: recorded(t, "fixtures_by_ids/two_fixtures_after_penalties.json")})
	if err != nil || len(s.Samples) != 2 || len(s.Broken)+len(s.Damaged)+len(s.Unknown) > 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	for i := range s.Samples {
		x := &s.Samples[i]
		home, _ := x.Score.Home.Get()
		away, _ := x.Score.Away.Get()
		kinds := map[input.IncidentKind]int{}
		for _, e := range x.Incidents.Or(nil) {
			kinds[e.Kind]++
			if e.Side == football.SideNone {
				t.Errorf("%s: nobody's %s", x.ProviderFixtureID, e.Kind)
			}
		}
		if kinds[input.IncidentGoal] != home+away || kinds[input.IncidentPenalty] != 0 || kinds[input.IncidentSubstitution] < 8 || kinds[input.IncidentYellowCard] < 3 {
			t.Errorf("%s %d-%d: %v", x.ProviderFixtureID, home, away, kinds)
		}
		if len(x.Counters) != 17 || x.Status != input.Over || x.CountersNotAsked {
			t.Errorf("%s: %d counters", x.ProviderFixtureID, len(x.Counters))
		}
		for _, c := range x.Counters {
			if c.Metric == football.RedCards && c.State() != football.BucketNull {
				t.Errorf("%s: red cards %v", x.ProviderFixtureID, c.State())
			}
			if c.Home.State() == football.Missing || c.Away.State() == football.Missing {
				t.Errorf("%s: %s of one side", x.ProviderFixtureID, c.Metric)
			}
		}
	}
}
