package emulators_test

import (
	"testing"

	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
)

// withoutEmulator are the providers whose emulators are still to be written.
var withoutEmulator = map[string]bool{"theoddsapi": true}

// Every other provider that can be configured has an emulator.
func TestEveryProviderHasAnEmulator(t *testing.T) {
	for _, p := range all.All() {
		e, err := emulators.New(p.Name, simulator.Options{Seed: 1})
		if withoutEmulator[p.Name] {
			if err == nil {
				t.Errorf("%s has an emulator", p.Name)
			}
		} else if err != nil || len(e.Tokens()) != 1 {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := emulators.New(emulators.Default(), simulator.Options{Seed: 1}); err != nil {
		t.Errorf("default: %v", err)
	}
	if _, err := emulators.New("BetsAPI", simulator.Options{}); err == nil || err.Error() != `provider "BetsAPI": want betsapi, sportmonks` {
		t.Errorf("unknown provider: %v", err)
	}
}
