package apifootball_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/apifootball/emulator"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/simulator"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	samples := make(map[string]providertest.Sample)
	providertest.Goldens(t, "testdata/read/*.txtar", func(golden string, a *txtar.Archive) {
		// Where the point is what a shape should not be, there is no sample.
		for _, f := range a.Files {
			switch {
			case golden == "states" || golden == "damaged":
			case strings.HasPrefix(f.Name, "markets"):
				samples[golden+"/"+f.Name] = providertest.Sample{Endpoint: "odds", Body: f.Data}
			case strings.HasPrefix(f.Name, "listing"):
				samples[golden+"/"+f.Name] = providertest.Sample{Endpoint: "fixtures", Body: f.Data}
			}
		}
	})
	providertest.Run(t, providertest.Suite{
		Provider: apifootball.Provider(),
		Samples:  samples,
		Price:    []string{"odd"},
		Emulator: emulator.New,
		RowID:    func(r input.Row) string { return r.Labels[0].Text },
		Means:    func(m simulator.MeantMarket, o input.Offer) bool { return o.Key == m.Key },
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
