package demo

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/publish/football"
)

// Every provider that has an emulator has an account, with live intelligence only where
// statistics are sold; each credential is accepted by one emulator.
func TestAccountsOnEveryProvider(t *testing.T) {
	list := demoAccounts(demoFlags{fixtures: 300, seed: 1, every: time.Minute, liveEvery: time.Minute}, time.Unix(1_800_000_000, 0))
	accepted := map[string]bool{}
	for _, name := range emulators.Names() {
		p, _ := all.Lookup(name)
		own := worlds(list, name)
		if len(own) == 0 {
			t.Errorf("no account on %s", name)
		}
		for _, d := range list {
			if _, ok := own[d.Credential]; !ok {
				continue
			}
			_, live := d.Tenant.Products[football.LiveIntelligence]
			if accepted[d.Credential] || live && !slices.Contains(p.Capabilities, provider.LiveStats) {
				t.Errorf("%s on %s: live intelligence %v, accepted before %v", d.Tenant.ID, name, live, accepted[d.Credential])
			}
			accepted[d.Credential] = true
		}
	}
	for _, d := range list {
		if accepted[d.Credential] != (d.Tenant.ID != unconnected) {
			t.Errorf("%s: accepted %v", d.Tenant.ID, accepted[d.Credential])
		}
	}
}
