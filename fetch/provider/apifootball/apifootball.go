package apifootball

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// Provider is the adapter's registration.
func Provider() provider.Provider {
	return provider.Provider{
		Name:         Name,
		BaseURL:      "https://v3.football.api-sports.io",
		Hosts:        []string{"v3.football.api-sports.io"},
		Capabilities: []provider.Capability{provider.Prematch, provider.LiveOdds, provider.LiveStats, provider.Timeline, provider.PlayerEvents},
		Budget: provider.Budget{
			Requests:    7500, // the smallest plan that is enough for an hourly cycle
			Window:      24 * time.Hour,
			Burst:       5, // 300 a minute, in the same plan
			Concurrency: 4,
			MaxBody:     16 << 20, // ten fixtures of one bookmaker are less than 1 MiB, a day's list 2 MiB
		},
		Cycle:      provider.Estimate{Markets: 49, Live: 2},
		Metrics:    slices.Sorted(maps.Values(ownMetrics)),
		Authorize:  func(r *http.Request, credential string) { r.Header.Set(api.HeaderKey, credential) },
		Classify:   Classify,
		Bookmakers: &provider.Bookmakers{Default: DefaultBookmaker, Valid: isBookmaker, Query: bookmakerQuery},
		Probes:     probes,
		ReadPlan:   readPlan,
		NeededBy:   neededBy,
		Table:      table,
		Recorded:   recorded,
		Markets:    adapter{decode.MarketEndpoints{Listing: []string{api.EndpointFixtures}, Markets: []string{api.EndpointOdds}}},
		Live:       liveAdapter{decode.LiveReader{List: api.EndpointLive, Detail: api.EndpointDetails, Read: readLive}},
	}
}
