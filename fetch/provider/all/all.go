// Package all is the list of providers: one line each.
package all

import (
	"slices"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/theoddsapi"
)

var providers = []provider.Provider{
	betsapi.Provider(),
	apifootball.Provider(),
	sportmonks.Provider(),
	theoddsapi.Provider(),
}

// All returns every provider, in the order of the list.
func All() []provider.Provider { return slices.Clone(providers) }

// Lookup finds a provider by its exact name.
func Lookup(name string) (provider.Provider, bool) {
	for _, p := range providers {
		if p.Name == name {
			return p, true
		}
	}
	return provider.Provider{}, false
}
