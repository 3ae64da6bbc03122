package live_test

import (
	"testing"

	"mkt/publish/football"
	"mkt/transform/live"
)

func TestJoinTakesIncidentsAlone(t *testing.T) {
	told := football.Of([]football.Incident{{ID: "1", Kind: football.IncidentCorner, Minute: 3}})
	listed := []football.Sample{{ProviderEventID: "a", Status: football.InPlay}, {ProviderEventID: "b"}, {}}
	details := []football.Sample{
		{ProviderEventID: "a", Status: football.Over, Incidents: told, Score: football.Score{Home: football.Of(1)}},
		{ProviderEventID: "c", Incidents: told}, {Incidents: told},
	}
	got := live.Join(listed, details)
	if len(got) != 3 || len(got[0].Incidents.Or(nil)) != 1 || got[0].Status != football.InPlay || got[0].Score != (football.Score{}) {
		t.Errorf("joined %+v", got)
	}
	if got[1].Incidents.State() != football.Missing || got[2].Incidents.State() != football.Missing {
		t.Error("incidents of another fixture")
	}
	if listed[0].Incidents.State() != football.Missing {
		t.Error("the list was changed")
	}
}
