package betsapi

import (
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// recorded implements provider.Provider.Recorded. Only results with an FI are prices. The
// provider has several lists of fixtures in one form, with ids of its own or of the
// bookmaker: only one that has our_event_id beside the id has the bookmaker's.
func recorded(body []byte) provider.Recorded {
	d := decode.Document()
	defer decode.Release(d)
	_, results, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return provider.Recorded{}
	}
	for item := range results.Items() {
		switch {
		case item.Get(api.KeyFI).Kind() != strictjson.Absent:
			return provider.Recorded{Endpoint: api.EndpointPrematch, Body: body}
		case item.Get("our_event_id").Kind() != strictjson.Absent && item.Get("league").Kind() != strictjson.Absent:
			return provider.Recorded{Endpoint: api.EndpointUpcoming, Body: body}
		}
	}
	return provider.Recorded{}
}
