package input_test

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// A clone of a sample equals it, and none of its texts is a part of the payload.
func TestClone(t *testing.T) {
	payload := "77 e Home attacks 12 i corner"
	number, _ := football.ParseNumber(payload[18:20])
	s := input.Sample{ProviderFixtureID: payload[0:2], ProviderEventID: payload[3:4], Home: football.Of(payload[5:9]), Away: football.NullField[string](),
		RetrievedAt: time.Unix(1_795_000_000, 0), Status: input.InPlay, Score: football.Score{Home: football.Of(1)},
		Counters:  []football.Counter{{Metric: football.Metric(payload[10:17]), Home: football.Of(number), Away: football.NullField[football.Number]()}},
		Incidents: football.Of([]input.Incident{{ID: payload[21:22], Kind: input.IncidentCorner, Text: payload[23:]}})}
	d := s.Clone()
	if !reflect.DeepEqual(d, s) {
		t.Errorf("%+v, want %+v", d, s)
	}
	home, _ := d.Home.Get()
	count, _ := d.Counters[0].Home.Get()
	incidents, _ := d.Incidents.Get()
	from := uintptr(unsafe.Pointer(unsafe.StringData(payload)))
	for _, text := range []string{d.ProviderFixtureID, d.ProviderEventID, home, string(d.Counters[0].Metric), count.Text(), incidents[0].ID, incidents[0].Text} {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(text))); at >= from && at < from+uintptr(len(payload)) {
			t.Errorf("%q is a part of the payload", text)
		}
	}
	if none := (&input.Sample{}).Clone(); !reflect.DeepEqual(none, input.Sample{}) {
		t.Errorf("the clone of an empty sample is %+v", none)
	}
}
