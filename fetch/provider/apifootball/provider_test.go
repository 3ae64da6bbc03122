package apifootball_test

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/apifootball/emulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/providertest"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Provider: apifootball.Provider(),
		// A file about a wrong shape is no sample.
		Samples: providertest.SamplesOf(t, goldens, payload, "states", "damaged"),
		Invalid: []string{`{}`, `{"errors":[],"response":{}}`, `{"errors":{"requests":"used up"},"response":[]}`, `{"errors":["x"],"response":[]}`,
			`{"errors":[],"response":[],"response":[]}`, `{"errors":[],"response":[`, `[]`},
		Price:    []string{"odd"},
		Emulator: emulator.New,
		RowID:    func(r input.Row) string { return r.Labels[0].Text },
		Means:    func(m meant.Market, o input.Offer) bool { return o.Key == m.Key },
	})
}

func TestBookmakers(t *testing.T) {
	valid := apifootball.Provider().Bookmakers.Valid
	for name, want := range map[string]bool{"8": true, "34": true, "1000": true, "": false, "0": false, "08": false, "10000": false, "bet365": false, "8 ": false, "-8": false} {
		if valid(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if !valid(apifootball.DefaultBookmaker) {
		t.Error("the default is no bookmaker")
	}
}
