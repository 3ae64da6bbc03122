package live_test

import (
	"testing"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

func TestJoinTakesIncidentsAlone(t *testing.T) {
	incidents := football.Of([]input.Incident{{ID: "1", Kind: input.IncidentCorner, Minute: 3}})
	listed := []input.Sample{{ProviderEventID: "a", Status: input.InPlay}, {ProviderEventID: "b"}, {}}
	details := []input.Sample{
		{ProviderEventID: "a", Status: input.Over, Incidents: incidents, Score: football.Score{Home: football.Of(1)}},
		{ProviderEventID: "c", Incidents: incidents}, {Incidents: incidents},
	}
	got := live.Join(listed, details)
	if len(got) != 3 || len(got[0].Incidents.Or(nil)) != 1 || got[0].Status != input.InPlay || got[0].Score != (football.Score{}) {
		t.Errorf("joined %+v", got)
	}
	if got[1].Incidents.State() != football.Missing || got[2].Incidents.State() != football.Missing {
		t.Error("incidents of another fixture")
	}
	if listed[0].Incidents.State() != football.Missing {
		t.Error("the list was changed")
	}
}

// TestJoinTakesTheEnd: a fixture that the list has not any more ends as its detail says.
func TestJoinTakesTheEnd(t *testing.T) {
	listed := []input.Sample{{ProviderEventID: "a", Status: input.InPlay}}
	details := []input.Sample{{ProviderEventID: "a", Status: input.Over}, {ProviderEventID: "b", Status: input.Over}, {ProviderEventID: "b", Status: input.Off},
		{ProviderEventID: "c", Status: input.Off}, {ProviderEventID: "d", Status: input.InPlay}, {ProviderEventID: "e", Status: input.Halted}, {Status: input.Over}}
	got := live.Join(listed, details)
	if len(got) != 3 || got[0].Status != input.InPlay || got[1].ProviderEventID != "b" || got[1].Status != input.Over || got[2].ProviderEventID != "c" {
		t.Errorf("%+v", got)
	}
}

// TestJoinTakesCountersWhereTheListHasNone: the counters of a detail are taken if the list
// is of a kind that has none, and in no other case.
func TestJoinTakesCountersWhereTheListHasNone(t *testing.T) {
	one, _ := football.ParseNumber("1")
	fouls := []football.Counter{{Metric: football.Fouls, Home: football.Of(one)}}
	corners := []football.Counter{{Metric: football.Corners, Home: football.Of(one)}}
	listed := []input.Sample{{ProviderEventID: "a", CountersNotAsked: true}, {ProviderEventID: "b", Counters: fouls}, {ProviderEventID: "c"},
		{ProviderEventID: "d", CountersNotAsked: true}, {ProviderEventID: "e", CountersNotAsked: true}}
	details := []input.Sample{{ProviderEventID: "a", Counters: corners}, {ProviderEventID: "b", Counters: corners}, {ProviderEventID: "c", Counters: corners},
		{ProviderEventID: "d", CountersNotAsked: true}}
	got := live.Join(listed, details)
	for i, want := range []int{1, 1, 0, 0, 0} {
		if len(got[i].Counters) != want || got[i].CountersNotAsked != (i > 2) {
			t.Errorf("%s: %+v", got[i].ProviderEventID, got[i])
		}
	}
	if got[0].Counters[0].Metric != football.Corners || got[1].Counters[0].Metric != football.Fouls || !listed[0].CountersNotAsked {
		t.Errorf("%+v", got)
	}
}
