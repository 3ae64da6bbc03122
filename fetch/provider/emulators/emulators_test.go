package emulators_test

import (
	"strings"
	"testing"

	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
)

// Every emulator is that of a provider; a provider that recordings prove needs none.
func TestEmulators(t *testing.T) {
	for _, name := range emulators.Names() {
		if p, ok := all.Lookup(name); !ok || p.Name != name {
			t.Errorf("%s has an emulator, and is no provider", name)
		}
		if e, err := emulators.New(name, simulator.Options{Seed: 1}); err != nil || len(e.Tokens()) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := emulators.New("feed", simulator.Options{Seed: 1}); err != nil {
		t.Errorf("by its short name: %v", err)
	}
	if _, err := emulators.New(emulators.Default(), simulator.Options{Seed: 1}); err != nil {
		t.Errorf("default: %v", err)
	}
	if _, err := emulators.New("BetsAPI", simulator.Options{}); err == nil || !strings.HasPrefix(err.Error(), `provider "BetsAPI": want betsapi, `) {
		t.Errorf("unknown provider: %v", err)
	}
}
