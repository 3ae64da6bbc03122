package sportmonks

import (
	"net/http"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// Provider is the adapter's registration.
func Provider() provider.Provider {
	return provider.Provider{
		Name:         Name,
		BaseURL:      "https://api.sportmonks.com",
		Hosts:        []string{"api.sportmonks.com"},
		Capabilities: []provider.Capability{provider.Prematch, provider.LiveOdds, provider.LiveStats, provider.Timeline, provider.PlayerEvents},
		Budget: provider.Budget{
			Requests:    api.Hourly,
			Window:      time.Hour,
			Burst:       10,
			Concurrency: 3,
			MaxBody:     32 << 20, // a batch of big matches with one bookmaker is 5 MB
		},
		Cycle:      provider.Estimate{Markets: 56, Live: 1},
		Metrics:    ownMetricNames(),
		Authorize:  authorize,
		Classify:   Classify,
		Bookmakers: &provider.Bookmakers{Default: api.Bet365, Valid: isBookmaker, Query: bookmakerQuery},
		Probes:     probes,
		ReadPlan:   readPlan,
		NeededBy:   neededBy,
		Table:      table,
		Recorded:   recorded,
		Markets: adapter{decode.MarketEndpoints{Listing: []string{api.EndpointBetween, api.EndpointByDate},
			Markets: []string{api.EndpointMulti, api.EndpointPrematch}}},
		Live: liveAdapter{decode.LiveReader{List: api.EndpointInplay, Read: readLive}},
	}
}

// authorize puts the token into the header: if it were in the query, the links of the
// answer would contain it.
func authorize(r *http.Request, credential string) { r.Header.Set(api.HeaderToken, credential) }
