package verify_test

import (
	"testing"

	"mkt/cmd/mkt/internal/verify"
)

func TestClean(t *testing.T) {
	for name, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		h := built(t, of)
		for _, change := range []func(*verify.Options){nil, h.deep} {
			r := h.verify(t, change)
			if !r.Clean || r.Head == nil || r.Checked.Snapshots < 3 || r.Checked.Raw < 4 || r.Checked.Rows == 0 {
				t.Errorf("%s: %+v", name, r)
			}
			if change != nil && r.Checked.Rebuilt < 6 {
				t.Errorf("%s: %d remade; %v", name, r.Checked.Rebuilt, r.Notes)
			}
			t.Logf("%s: %+v %v", name, r.Checked, r.Notes)
		}
	}
}
