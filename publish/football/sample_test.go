package football_test

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"mkt/publish/football"
)

// A detached sample says the same, and none of its texts lies where the first's do.
func TestDetached(t *testing.T) {
	payload := "77 e Home attacks 12 i corner"
	number, _ := football.ParseNumber(payload[18:20])
	s := football.Sample{ProviderFixtureID: payload[0:2], ProviderEventID: payload[3:4], Home: football.Of(payload[5:9]), Away: football.NullField[string](),
		RetrievedAt: time.Unix(1_795_000_000, 0), Status: football.InPlay, Score: football.Score{Home: football.Of(1)},
		Counters:  []football.Counter{{Metric: football.Metric(payload[10:17]), Home: football.Of(number), Away: football.NullField[football.Number]()}},
		Incidents: football.Of([]football.Incident{{ID: payload[21:22], Kind: football.IncidentCorner, Text: payload[23:]}})}
	d := s.Detached()
	if !reflect.DeepEqual(d, s) {
		t.Errorf("%+v, want %+v", d, s)
	}
	home, _ := d.Home.Get()
	count, _ := d.Counters[0].Home.Get()
	told, _ := d.Incidents.Get()
	from := uintptr(unsafe.Pointer(unsafe.StringData(payload)))
	for _, text := range []string{d.ProviderFixtureID, d.ProviderEventID, home, string(d.Counters[0].Metric), count.Text(), told[0].ID, told[0].Text} {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(text))); at >= from && at < from+uintptr(len(payload)) {
			t.Errorf("%q lies in the payload", text)
		}
	}
	if none := (&football.Sample{}).Detached(); !reflect.DeepEqual(none, football.Sample{}) {
		t.Errorf("of nothing: %+v", none)
	}
}
