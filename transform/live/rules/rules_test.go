package rules_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/transform/live/rules"
)

// numbersOf has the hash of the numbers in rules.go, by the version of the rules.
var numbersOf = map[string]string{
	"live-10": "13be7a39a8cbd2eb184842cb2af1c16c2dc8cf7ef6e4dcd0aec33ffcc20e948a",
}

// TestRulesAreVersioned: a number on which stored bytes depend does not change without a new
// version, by which replay and verify tell the two apart.
func TestRulesAreVersioned(t *testing.T) {
	if got := check.Numbers(t, "rules.go", "Version"); got != numbersOf[rules.Version] {
		t.Errorf("the numbers in rules.go have the hash %s, and those of %s have %s: give Version a new value, and list it here", got, rules.Version, numbersOf[rules.Version])
	}
}
