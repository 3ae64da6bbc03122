package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
)

// Whatever is asked, the answer is one of the provider's envelopes.
func FuzzSimulatedQuery(f *testing.F) {
	f.Add("/v1/bet365/upcoming", "sport_id=1&page=2&day=20260304&league_id=10040000")
	f.Add("/v4/bet365/prematch", "FI=171000000,,9223372036854775807")
	f.Add("/v3/bet365/prematch", "FI=171921725&FI=2&raw=1")
	f.Add("/", "%zz")
	sim, err := emulator.New(simulator.Options{Seed: 1, Fixtures: 10, Now: simClock, Quota: 1 << 30})
	if err != nil {
		f.Fatal(err)
	}
	token := sim.Tokens()[0]
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: path, RawQuery: query}
		r.Header.Set("X-API-TOKEN", token)
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, r)
		var e struct {
			Success *int
			Error   string
			Results *[]json.RawMessage
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Success == nil || (*e.Success == 1) != (e.Results != nil) || (*e.Success == 0) != (e.Error != "") {
			t.Errorf("%s?%s: %v: %.200s", path, query, err, w.Body)
		}
	})
}
