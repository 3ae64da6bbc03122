package betsapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

func recordedLive(t testing.TB, path string) provider.Payload {
	t.Helper()
	return provider.Payload{Number: 1, FetchedAt: retrieved, Body: recorded(t, path)}
}

func TestRecordedInplayLists(t *testing.T) {
	for path, want := range map[string]struct{ items, filtered, withCounters, withoutClock int }{
		"events-inplay/soccer_2021-10_267_events.json": {267, 5, 261, 0},
		"events-inplay/soccer_2019-05_29_events.json":  {29, 0, 0, 2},
	} {
		sheet, err := live.ReadList([]provider.Payload{recordedLive(t, path)})
		if err != nil {
			t.Fatal(err)
		}
		filtered, withCounters, withoutClock := 0, 0, 0
		for rule, n := range sheet.Filtered {
			if !strings.HasSuffix(rule, ":league-name") {
				t.Errorf("%s: filtered by %s", path, rule)
			}
			filtered += n
		}
		for _, s := range sheet.Samples {
			if len(s.Counters) > 0 {
				withCounters++
			}
			if s.Clock == (input.ClockReading{}) {
				withoutClock++
			}
		}
		if len(sheet.Samples) != want.items-want.filtered || filtered != want.filtered || withCounters != want.withCounters || withoutClock != want.withoutClock {
			t.Errorf("%s: %d samples, %d filtered, %d with counters, %d without a clock", path, len(sheet.Samples), filtered, withCounters, withoutClock)
		}
		if !sheet.Complete || len(sheet.Broken)+len(sheet.Unknown) > 0 {
			t.Errorf("%s: complete %v, broken %v, unknown %v", path, sheet.Complete, sheet.Broken, sheet.Unknown)
		}
	}
}

// Every line of the recorded timelines is an incident of a side or derived.
func TestRecordedTimelines(t *testing.T) {
	for path, want := range map[string]map[input.IncidentKind][2]int{
		"event-view/2654397_2020-10_mancity_arsenal.json": {input.IncidentCorner: {6, 6}, input.IncidentGoal: {1, 0},
			input.IncidentYellowCard: {4, 1}, input.IncidentSubstitution: {2, 3}},
		"event-view/196381_2017-03_t2.json": {input.IncidentCorner: {4, 4}, input.IncidentGoal: {2, 0}, input.IncidentYellowCard: {2, 2}},
		"event-view/196381_2017-03_t3.json": {input.IncidentCorner: {4, 4}, input.IncidentGoal: {2, 1}, input.IncidentYellowCard: {2, 2}},
	} {
		sheet, err := live.ReadDetail(recordedLive(t, path))
		if err != nil || len(sheet.Samples) != 1 || len(sheet.Unknown)+len(sheet.Broken) > 0 {
			t.Fatalf("%s: %+v, %v", path, sheet, err)
		}
		got := map[input.IncidentKind][2]int{}
		for _, i := range sheet.Samples[0].Incidents.Or(nil) {
			n := got[i.Kind]
			side := slices.Index(football.Sides(), i.Side)
			if side > 1 {
				t.Fatalf("%s: no side: %+v", path, i)
			}
			n[side]++
			got[i.Kind] = n
		}
		for kind, n := range want {
			if got[kind] != n {
				t.Errorf("%s: %s %v, want %v", path, kind, got[kind], n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// The last samples of the recorded minute series: sides without a value, a half
// beyond extra time, counters in parts.
func TestRecordedSeriesEnds(t *testing.T) {
	item := func(path string) input.Sample {
		var series struct{ Timer, Stats json.RawMessage }
		if err := json.Unmarshal(recorded(t, "fragments/minute-series/"+path), &series); err != nil {
			t.Fatal(err)
		}
		return oneSample(t, `{"id":"5","time_status":"1","timer":`+string(series.Timer)+`,"stats":`+string(series.Stats)+`}`)
	}
	find := func(s input.Sample, m football.Metric) string {
		for _, c := range s.Counters {
			if c.Metric == m {
				return sideText(c.Home) + "/" + sideText(c.Away)
			}
		}
		return "not sent"
	}
	for path, want := range map[string]string{"10746287_St-Pauli_vs_Wolfsburg.json": "_/0.05", "11619114_Cruzeiro_vs_Boca-Juniors.json": "1.29/_",
		"11828970_CD-Marathon_vs_CD-Olimpia.json": "not sent"} {
		if got := find(item(path), football.ExpectedGoals); got != want {
			t.Errorf("%s: xg %s, want %s", path, got, want)
		}
	}
	beyond := item("11833805_Newcastle-Jets_vs_Sydney-FC.json")
	if beyond.Clock.Half.Or(0) != 5 || find(beyond, football.Attacks) != "155/96" || find(beyond, football.Possession) != "57/43" {
		t.Errorf("extra time: %+v", beyond)
	}
}
