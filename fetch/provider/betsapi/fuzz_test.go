package betsapi_test

import (
	"testing"

	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/providertest"
)

func FuzzRead(f *testing.F) {
	seeds := append(providertest.BodiesOf(f, goldens), []byte(`{"success":1,"results":[`+liveItem+`]}`),
		[]byte(`{"success":1,"pager":{"page":1,"per_page":50,"total":2},"results":[{"id":"5","time_status":"1","our_event_id":null}]}`),
		[]byte(`{"success":0,"error":"TOO_MANY_REQUESTS"}`), []byte(`<html>`))
	providertest.Fuzz(f, providertest.Fuzzed{Provider: betsapi.Provider(), Seeds: seeds, Listings: []string{"bet365/upcoming"}, Markets: "bet365/prematch"})
}
