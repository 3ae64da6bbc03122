package markets_test

import (
	"testing"

	"mkt/internal/check"
	"mkt/publish/football"
)

// numbersOf has the hash of the constants and tables of this package, by the version of the
// derivation.
var numbersOf = map[string]string{
	"4": "aada6d988ff6fc3759b428c1dbd9b09e896c1dc4224451d30b906f6435713b4d",
	"5": "2b3fde5b92cf6b2d78f3782f20fc6f25bf7e034b2b8d44810da74985aa8a4d69",
}

// TestDerivationIsVersioned: no bound, form or word by which markets are proven changes
// without a new version, by which replay and verify tell the two apart.
func TestDerivationIsVersioned(t *testing.T) {
	if got := check.Numbers(t, "*.go", ""); got != numbersOf[football.DerivationVersion] {
		t.Errorf("the constants and tables of this package have the hash %s, and those of version %s have %s: if a market of some payload is read otherwise, give football.DerivationVersion a new version; then list the hash here",
			got, football.DerivationVersion, numbersOf[football.DerivationVersion])
	}
}
