package apifootball_test

import (
	"os"
	"path/filepath"
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
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Where the point is what a shape should not be, there is no sample.
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range txtar.Parse(text).Files {
			switch {
			case name == "states" || name == "damaged":
			case strings.HasPrefix(f.Name, "markets"):
				samples[name+"/"+f.Name] = providertest.Sample{Endpoint: "odds", Body: f.Data}
			case strings.HasPrefix(f.Name, "listing"):
				samples[name+"/"+f.Name] = providertest.Sample{Endpoint: "fixtures", Body: f.Data}
			}
		}
	}
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
