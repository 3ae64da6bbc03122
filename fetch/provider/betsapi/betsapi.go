package betsapi

import (
	"maps"
	"slices"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// Provider is the adapter's registration.
func Provider() provider.Provider {
	return provider.Provider{
		Name:         Name,
		BaseURL:      "https://api.b365api.com",
		Hosts:        []string{"api.b365api.com", "api.betsapi.com"},
		Capabilities: []provider.Capability{provider.Prematch, provider.LiveStats, provider.Timeline},
		Budget: provider.Budget{
			Requests:    api.Hourly,
			Window:      time.Hour,
			Burst:       20, // a ceiling near 30 a second is reported by one client
			Concurrency: 4,
			MaxBody:     16 << 20, // ten fixtures are 1 to 3 MiB
		},
		Cycle:     provider.Estimate{Markets: 45, Live: 1},
		Sections:  sections,
		Metrics:   slices.Sorted(maps.Keys(ownMetrics)),
		Keyed:     []string{api.KeyMarkets},
		Authorize: authorize,
		Classify:  Classify,
		Probes:    probes,
		ReadPlan:  readPlan,
		NeededBy:  neededBy,
		Table:     table,
		Recorded:  recorded,
		Markets:   adapter{decode.MarketEndpoints{Listing: []string{api.EndpointUpcoming}, Markets: []string{api.EndpointPrematch}}},
		Live:      liveAdapter{decode.LiveReader{List: api.EndpointInplay, Detail: api.EndpointView, Read: readLive}},
	}
}
