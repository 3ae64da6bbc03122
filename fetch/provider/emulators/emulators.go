// Package emulators is the list of the providers' emulators: one line each. It
// is apart from the list of providers so that a stage does not link them.
package emulators

import (
	"fmt"
	"net/http"
	"strings"

	"mkt/fetch/provider/betsapi"
	betsapiemulator "mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
)

var emulators = []entry{
	{betsapi.Name, makes(betsapiemulator.New)},
}

// Emulator answers as a provider would.
type Emulator interface {
	http.Handler
	// Tokens are the credentials that it accepts.
	Tokens() []string
}

type entry struct {
	name string // of the provider
	make func(simulator.Options) (Emulator, error)
}

func makes[E Emulator](make func(simulator.Options) (E, error)) func(simulator.Options) (Emulator, error) {
	return func(o simulator.Options) (Emulator, error) { return make(o) }
}

// Default is the name of the provider that is emulated if none is named.
func Default() string { return emulators[0].name }

// New returns an emulator of the provider with that exact name.
func New(provider string, o simulator.Options) (Emulator, error) {
	var names []string
	for _, e := range emulators {
		if e.name == provider {
			return e.make(o)
		}
		names = append(names, e.name)
	}
	return nil, fmt.Errorf("provider %q: want %s", provider, strings.Join(names, ", "))
}
