// Package emulators is the list of the providers' emulators: one line each. It
// is apart from the list of providers so that a stage does not link them.
package emulators

import (
	"fmt"
	"strings"

	"mkt/fetch/provider/apifootball"
	apifootballemulator "mkt/fetch/provider/apifootball/emulator"
	"mkt/fetch/provider/betsapi"
	betsapiemulator "mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/provider/feed"
	feedemulator "mkt/fetch/provider/feed/emulator"
	"mkt/fetch/provider/sportmonks"
	sportmonksemulator "mkt/fetch/provider/sportmonks/emulator"
	"mkt/fetch/provider/theoddsapi"
	theoddsapiemulator "mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
)

var emulators = []struct {
	provider string
	make     func(simulator.Options) (*simulator.Server, error)
}{
	{betsapi.Name, betsapiemulator.New},
	{theoddsapi.Name, theoddsapiemulator.New},
	{apifootball.Name, apifootballemulator.New},
	{sportmonks.Name, sportmonksemulator.New},
	{feed.Prefix + feed.Simulated, feedemulator.New},
}

// Default is the name of the provider that is emulated if none is named.
func Default() string { return emulators[0].provider }

// Names returns the names of the providers that have an emulator, the default first.
func Names() []string {
	names := make([]string, len(emulators))
	for i, e := range emulators {
		names[i] = e.provider
	}
	return names
}

// Short returns the name of a provider without that of the source of a feed.
func Short(provider string) string {
	short, _, _ := strings.Cut(provider, ":")
	return short
}

// Full returns the name of the provider that an emulator with that name, which may be the short
// one, stands for.
func Full(name string) string {
	for _, e := range emulators {
		if Short(e.provider) == name {
			return e.provider
		}
	}
	return name
}

// New returns an emulator of the provider with that exact name, which may be the short one.
func New(provider string, o simulator.Options) (*simulator.Server, error) {
	var known []string
	for _, e := range emulators {
		if e.provider == Full(provider) {
			return e.make(o)
		}
		known = append(known, Short(e.provider))
	}
	return nil, fmt.Errorf("provider %q: want %s", provider, strings.Join(known, ", "))
}
