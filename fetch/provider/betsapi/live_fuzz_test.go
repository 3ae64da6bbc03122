package betsapi_test

import (
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

// FuzzReadLive: any bytes are read or refused; the result of reading is in bounds and
// in order.
func FuzzReadLive(f *testing.F) {
	f.Add([]byte(`{"success":1,"results":[` + liveItem + `]}`))
	f.Add([]byte(`{"success":1,"pager":{"page":1,"per_page":50,"total":2},"results":[{"id":"5","time_status":"1","our_event_id":null}]}`))
	f.Add([]byte(`{"success":0,"error":"TOO_MANY_REQUESTS"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		pages := []provider.Payload{{Body: body, FetchedAt: retrieved}}
		sheet, err := live.ReadList(pages)
		if err != nil {
			return
		}
		providertest.CheckLive(t, sheet)
		for i := range sheet.Samples {
			checkSample(t, &sheet.Samples[i])
		}
	})
}

func checkSample(t *testing.T, s *input.Sample) {
	t.Helper()
	if m := s.Clock.Minute.Or(0); m < 0 || m > 200 {
		t.Fatalf("minute %d", m)
	}
	for _, i := range s.Incidents.Or(nil) {
		if !slices.Contains(football.Sides(), i.Side) {
			t.Fatalf("incident %+v", i)
		}
	}
}
