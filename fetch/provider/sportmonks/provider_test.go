package sportmonks_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/sportmonks/emulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/providertest"
)

// TestProvider runs the suite over the goldens' payloads. Payloads
// that show damage are no samples.
func TestProvider(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Provider: sportmonks.Provider(),
		Samples: map[string]providertest.Sample{
			"listing": {Endpoint: "fixtures/between", Body: own(t, "listing")},
			"multi":   {Endpoint: "fixtures/multi", Body: own(t, "multi")},
			"rows":    {Endpoint: "odds/pre-match/fixtures", Body: own(t, "rows")},
		},
		Invalid:  []string{`{"timezone":"UTC"}`, `{"data":"nothing"}`, `{"data":[],"data":[1]}`, `{"data":[`, `[]`},
		Price:    []string{"dp3", "value"},
		Emulator: emulator.New,
		Means:    func(m meant.Market, o input.Offer) bool { return o.ProviderIDs[0] == m.Key },
	})
}

// TestBookmakers: a bookmaker is an id.
func TestBookmakers(t *testing.T) {
	b := sportmonks.Provider().Bookmakers
	if b.Default != "2" || !b.Valid(b.Default) {
		t.Errorf("default %q", b.Default)
	}
	for name, want := range map[string]bool{"1": true, "35": true, "999999": true, "": false, "0": false, "02": false, "bet365": false, "2,3": false, "-2": false, "1234567": false, "2;markets:1": false} {
		if b.Valid(name) != want {
			t.Errorf("%q is valid: %v", name, !want)
		}
	}
}

// TestMetrics: the provider's own counters are not in football.Metrics, and each is listed
// once.
func TestMetrics(t *testing.T) {
	met := map[string]bool{}
	for _, m := range sportmonks.Provider().Metrics {
		if met[m] || m != strings.ToLower(m) {
			t.Errorf("metric %q", m)
		}
		met[m] = true
	}
	if len(met) == 0 || met["corners"] {
		t.Errorf("%d metrics of its own", len(met))
	}
}
