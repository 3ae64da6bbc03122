package live

import (
	"fmt"
	"testing"
)

// The kinds of threats are stored.
func TestCodesOfThreatsNeverChange(t *testing.T) {
	if got, want := fmt.Sprint(noThreat, attackThreat, cornerThreat, penaltyThreat), "0 1 2 3"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
}
