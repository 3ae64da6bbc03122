package reading_test

import (
	"slices"
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/payloads"
	"mkt/transform/reading"
)

// What is observed does not depend on the order in which fixtures are read, nor on who reads them.
func TestObservedInAnyOrder(t *testing.T) {
	names := []string{"Goals of Malmö", "Goals of Arsenal", "", "Goals of Boca"}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		for readers := 1; readers <= len(order); readers++ {
			var all reading.Observed
			for part := range slices.Chunk(order, (len(order)+readers-1)/readers) {
				one := all.Observer(&provider.Provider{})
				for _, n := range part {
					m := football.Market{Key: "goals"}
					if names[n] != "" {
						m.Name = football.Of(names[n])
					}
					one.Fixture(&football.Fixture{}, []football.Market{m})
				}
			}
			var o payloads.Observation
			all.Add(&o)
			if got := o.Markets["goals"]; got.Title != "Goals of Arsenal" || got.Has != 4 {
				t.Errorf("%v, read by %d: %+v", order, readers, got)
			}
		}
	}
}
