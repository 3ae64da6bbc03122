package momentum

import (
	"fmt"
	"testing"

	"mkt/transform/live/rules"
)

// The kinds of threats are stored.
func TestCodesOfThreatsNeverChange(t *testing.T) {
	if got, want := fmt.Sprint(rules.NoThreat, rules.AttackThreat, rules.CornerThreat, rules.PenaltyThreat), "0 1 2 3"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
}
