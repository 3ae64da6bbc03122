package markets_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/publish/football"
)

// numbersOf has the hash of the constants and tables of this package, by the version of the
// derivation.
var numbersOf = map[string]string{
	"5": "2596ac4802224f0969821139a5cfaf7819c32eb2bdd8c9025df4d8a9301eb684",
}

// TestDerivationIsVersioned: no bound, form or word by which markets are proven changes
// without a new version, by which replay and verify tell the two apart.
func TestDerivationIsVersioned(t *testing.T) {
	if got := check.Numbers(t, "*.go", ""); got != numbersOf[football.DerivationVersion] {
		t.Errorf("the constants and tables of this package have the hash %s, and those of version %s have %s: if a market of some payload is read otherwise, give football.DerivationVersion a new version; then list the hash here",
			got, football.DerivationVersion, numbersOf[football.DerivationVersion])
	}
}
