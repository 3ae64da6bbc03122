package live_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/transform/live"
)

// numbersOf has the hash of the numbers in rules.go, by the version of the rules.
var numbersOf = map[string]string{
	"live-9": "2f904ecd83bc553a5c8f713c281d9a15e8dbe2d361d0a6fccaf7be9bd3be5249",
}

// TestRulesAreVersioned: a number on which stored bytes depend does not change without a new
// version, by which replay and verify tell the two apart.
func TestRulesAreVersioned(t *testing.T) {
	if got := check.Numbers(t, "rules.go", "Rules"); got != numbersOf[live.Rules] {
		t.Errorf("the numbers in rules.go have the hash %s, and those of %s have %s: give Rules a new version, and list it here", got, live.Rules, numbersOf[live.Rules])
	}
}
