// Package emulators is the list of the providers' emulators: one line each. It
// is apart from the list of providers so that a stage does not link them.
package emulators

import (
	"fmt"
	"strings"

	"mkt/fetch/provider/betsapi"
	betsapiemulator "mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/provider/sportmonks"
	sportmonksemulator "mkt/fetch/provider/sportmonks/emulator"
	"mkt/fetch/simulator"
)

var emulators = []struct {
	provider string
	make     func(simulator.Options) (*simulator.Server, error)
}{
	{betsapi.Name, betsapiemulator.New},
	{sportmonks.Name, sportmonksemulator.New},
}

// Default is the name of the provider that is emulated if none is named.
func Default() string { return emulators[0].provider }

// New returns an emulator of the provider with that exact name.
func New(provider string, o simulator.Options) (*simulator.Server, error) {
	var names []string
	for _, e := range emulators {
		if e.provider == provider {
			return e.make(o)
		}
		names = append(names, e.provider)
	}
	return nil, fmt.Errorf("provider %q: want %s", provider, strings.Join(names, ", "))
}
