package theoddsapi

import (
	"net/http"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

// Provider is the adapter's registration.
func Provider() provider.Provider {
	return provider.Provider{
		Name:         Name,
		BaseURL:      "https://api.the-odds-api.com",
		Hosts:        []string{"api.the-odds-api.com", "ipv6-api.the-odds-api.com"},
		Capabilities: []provider.Capability{provider.Prematch, provider.LiveOdds},
		Budget: provider.Budget{
			// Headers state the rest of the month's credits. This is used without
			// them: a day's share of the smallest paid plan.
			Requests:    660,
			Window:      24 * time.Hour,
			Renewed:     30 * 24 * time.Hour,
			Burst:       15, // 30 a second are allowed
			Concurrency: 4,
			MaxBody:     16 << 20, // a competition's featured markets of one bookmaker are some 100 KiB
		},
		Cycle:      provider.Estimate{Markets: 90},
		Authorize:  authorize,
		Classify:   Classify,
		Bookmakers: &provider.Bookmakers{Default: DefaultBookmaker, Valid: isBookmaker, Query: bookmakerQuery, Unknown: api.ErrBookmakers},
		Probes:     probes,
		ReadPlan:   readPlan,
		NeededBy:   neededBy,
		Table:      table,
		Recorded:   recorded,
		Markets: adapter{decode.MarketEndpoints{Listing: []string{api.EndpointSports, api.EndpointEvents},
			Markets: []string{api.EndpointOdds, api.EndpointEventOdds}}},
	}
}

// authorize puts the key on a request's query: the provider accepts it nowhere else.
func authorize(r *http.Request, credential string) {
	q := r.URL.Query()
	q.Set(api.ParamKey, credential)
	r.URL.RawQuery = q.Encode()
}
