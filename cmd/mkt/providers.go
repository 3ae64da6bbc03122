package main

import "mkt/fetch/provider"

// findProvider looks an adapter up.
func findProvider(name string) (provider.Provider, bool) { return provider.Provider{}, false }
