package theoddsapi

import (
	"net/url"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/wire"
)

// recorded implements provider.Provider.Recorded. The first item of a list says what all
// of them are.
func recorded(body []byte) provider.Recorded {
	d := answer.Document()
	defer answer.Release(d)
	events, err := readEvents(d, body)
	if err != nil || len(events) == 0 {
		return provider.Recorded{}
	}
	r := provider.Recorded{Body: body}
	switch first := events[0]; {
	case first.Get(wire.KeySport).Kind() == strictjson.Absent && first.Get(wire.KeyGroup).Kind() != strictjson.Absent:
		r.Endpoint = wire.EndpointSports
	case first.Get(wire.KeySport).Kind() == strictjson.Absent, first.Get(wire.KeyHome).Kind() == strictjson.Absent:
		return provider.Recorded{}
	case first.Get(wire.KeyBookmakers).Kind() == strictjson.Absent:
		r.Endpoint = wire.EndpointEvents
	case d.Root().Kind() == strictjson.Object:
		r.Endpoint = wire.EndpointEventOdds
	default:
		r.Endpoint = wire.EndpointOdds
	}
	for _, event := range events {
		for maker := range event.Get(wire.KeyBookmakers).Items() {
			if key := maker.Get(wire.KeyKey).Text(); isBookmaker(key) {
				r.AddBookmaker(key)
			}
		}
	}
	return r
}

func bookmakerQuery(key string) url.Values { return url.Values{wire.ParamBookmakers: {key}} }
