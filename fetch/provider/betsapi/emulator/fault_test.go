package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/simulator"
)

const (
	askListing = "/v1/bet365/upcoming?sport_id=1"
	askMarkets = "/v4/bet365/prematch?FI="
)

// The same seed suffers the same faults at the same requests; aimed ones hit
// their target, numbered ones once.
func TestFaultsAreRepeatable(t *testing.T) {
	run := func() (hits []int) {
		var faults []simulator.Fault
		for _, text := range []string{"500:0.2@listing", "429-body:#4@markets"} {
			f, err := simulator.ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, f)
		}
		sim := simulated(t, simulator.Options{Seed: 5, Fixtures: 10, Faults: faults})
		for i := range 200 {
			if ask(t, sim, askListing).Code == 500 {
				hits = append(hits, i)
			}
			limited := strings.Contains(ask(t, sim, askMarkets+"1").Body.String(), "TOO_MANY")
			if limited != (i == 3) {
				t.Errorf("markets request %d: limited %v", i+1, limited)
			}
		}
		return hits
	}
	first := run()
	if len(first) < 20 || len(first) > 60 || fmt.Sprint(first) != fmt.Sprint(run()) {
		t.Errorf("hits %v", first)
	}
}
