package apifootball

import (
	"net/url"

	"mkt/fetch/internal/answer"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/wire"
)

// recorded implements provider.Provider.Recorded. The envelope says what was asked for.
func recorded(body []byte) provider.Recorded {
	d := answer.Document()
	defer answer.Release(d)
	items, err := readResponse(d, body)
	if err != nil {
		return provider.Recorded{}
	}
	r := provider.Recorded{Body: body}
	switch d.Root().Get(wire.KeyGet).Text() {
	case wire.EndpointFixtures:
		r.Endpoint = wire.EndpointFixtures
	case wire.EndpointOdds:
		r.Endpoint = wire.EndpointOdds
		for item := range items.Items() {
			for b := range item.Get("bookmakers").Items() {
				if id := identifier(b.Get("id")); isBookmaker(id) {
					r.AddBookmaker(id)
				}
			}
		}
	default:
		return provider.Recorded{}
	}
	return r
}

func bookmakerQuery(id string) url.Values { return url.Values{wire.ParamBookmaker: {id}} }
