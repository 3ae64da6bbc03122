package transform_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// numbersOf has the hash of the numbers in rules.go, by the versions of the derivation and of the rules
// of live data.
var numbersOf = map[string]string{
	"5 live-9": "89333f9c9566d4ecde179da1bdb2ceb6a89768f3e7a8ae1c3a66f53d2f0e962a",
}

// TestStageIsVersioned: no bound from which a fixture or a cycle is refused, or a fixture leaves
// play, changes without a new version, by which replay and verify tell the two apart.
func TestStageIsVersioned(t *testing.T) {
	version := football.DerivationVersion + " " + rules.Version
	if got := check.Numbers(t, "rules.go", ""); got != numbersOf[version] {
		t.Errorf("the numbers in rules.go have the hash %s, and those of %s have %s: give the derivation or the rules of live data a new version, and list it here",
			got, version, numbersOf[version])
	}
}
