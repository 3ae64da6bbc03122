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
