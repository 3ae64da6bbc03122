package live_test

import (
	"testing"

	"mkt/internal/check"
	"mkt/transform/live"
)

// numbersOf has the hash of the numbers in rules.go, by the version of the rules.
var numbersOf = map[string]string{
	"live-9": "2803677dd77d974fee3d312321fba9dee4c4d83e9e3a59f0f8115fd37921d22d",
}

// TestRulesAreVersioned: a number on which stored bytes depend does not change without a new
// version, by which replay and verify tell the two apart.
func TestRulesAreVersioned(t *testing.T) {
	if got := check.Numbers(t, "rules.go", "Rules"); got != numbersOf[live.Rules] {
		t.Errorf("the numbers in rules.go have the hash %s, and those of %s have %s: give Rules a new version, and list it here", got, live.Rules, numbersOf[live.Rules])
	}
}
