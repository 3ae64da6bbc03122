package bounds_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// numbersOf has the hash of the numbers in bounds.go, by the versions of the derivation and of the rules
// of live data.
var numbersOf = map[string]string{
	"5 live-10": "5a95bcbb3c39affda3a29236d0c49be7ed53c3ff3aad7980323fcf4cc7a55a6d",
}

// TestStageIsVersioned: no bound from which a fixture or a cycle is refused, or a fixture leaves
// play, changes without a new version, by which replay and verify tell the two apart.
func TestStageIsVersioned(t *testing.T) {
	version := football.DerivationVersion + " " + rules.Version
	if got := check.Numbers(t, "bounds.go", ""); got != numbersOf[version] {
		t.Errorf("the numbers in bounds.go have the hash %s, and those of %s have %s: give the derivation or the rules of live data a new version, and list it here",
			got, version, numbersOf[version])
	}
}
