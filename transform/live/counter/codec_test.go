package counter

import (
	"fmt"
	"testing"
)

// Stored states have the counts of events in this order.
func TestEventCountsNeverChange(t *testing.T) {
	if got, want := fmt.Sprint(eventMetrics), "[substitutions corners yellow_cards red_cards penalties goals]"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
}
