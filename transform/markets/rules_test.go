package markets_test

import (
	"testing"

	"mkt/internal/testing/check"
	"mkt/publish/football"
)

// numbersOf has the hashes of the constants and tables of this package, and of those below it, by
// the version of the derivation.
var numbersOf = map[string]string{
	"5": "0b19b8d8bb4f71f8588599b20cfd9fbbccc63234ede066e71bab52b99878f332 8c3b0665df11aa82de1c86ba94c810de21306be291dd86f57c304ed515f92500",
}

// TestDerivationIsVersioned: no bound, form or word by which markets are proven changes
// without a new version, by which replay and verify tell the two apart.
func TestDerivationIsVersioned(t *testing.T) {
	if got := check.Numbers(t, "*.go", "") + " " + check.Numbers(t, "*/*.go", ""); got != numbersOf[football.DerivationVersion] {
		t.Errorf("the constants and tables of this package and those below it have the hashes %s, and those of version %s have %s: if a market of some payload is read otherwise, give football.DerivationVersion a new version; then list the hashes here",
			got, football.DerivationVersion, numbersOf[football.DerivationVersion])
	}
}
