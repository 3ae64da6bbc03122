package theoddsapi

import (
	"net/url"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

// recorded implements Recorded of [provider.Provider]. The first item of a list has the
// kind of all of them.
func recorded(body []byte) provider.Recorded {
	d := decode.Document()
	defer decode.Release(d)
	events, err := readEvents(d, provider.Payload{Body: body})
	if err != nil || len(events) == 0 {
		return provider.Recorded{}
	}
	r := provider.Recorded{Body: body}
	switch first := events[0]; {
	case first.Get(api.KeySport).Kind() == strictjson.Absent && first.Get(api.KeyGroup).Kind() != strictjson.Absent:
		r.Endpoint = api.EndpointSports
	case first.Get(api.KeySport).Kind() == strictjson.Absent, first.Get(api.KeyHome).Kind() == strictjson.Absent:
		return provider.Recorded{}
	case first.Get(api.KeyBookmakers).Kind() == strictjson.Absent:
		r.Endpoint = api.EndpointEvents
	case d.Root().Kind() == strictjson.Object:
		r.Endpoint = api.EndpointEventOdds
	default:
		r.Endpoint = api.EndpointOdds
	}
	for _, event := range events {
		for maker := range event.Get(api.KeyBookmakers).Items() {
			if key := maker.Get(api.KeyKey).Text(); isBookmaker(key) {
				r.AddBookmaker(key)
			}
		}
	}
	return r
}

func bookmakerQuery(key string) url.Values { return url.Values{api.ParamBookmakers: {key}} }
