package all_test

import (
	"testing"

	"mkt/fetch/provider/all"
)

func TestLookup(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range all.All() {
		if seen[p.Name] {
			t.Errorf("%s is there twice", p.Name)
		}
		seen[p.Name] = true
		if got, ok := all.Lookup(p.Name); !ok || got.Name != p.Name {
			t.Errorf("%s: %v %q", p.Name, ok, got.Name)
		}
	}
	for _, name := range []string{"", "BetsAPI", "betsapi "} {
		if _, ok := all.Lookup(name); ok {
			t.Errorf("%q is found", name)
		}
	}
	if !seen["betsapi"] {
		t.Error("betsapi is missing")
	}
}
