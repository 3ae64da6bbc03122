package apifootball

import (
	"net/url"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// recorded implements Recorded of [provider.Provider]. The envelope repeats the request.
func recorded(body []byte) provider.Recorded {
	d := decode.Document()
	defer decode.Release(d)
	_, items, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return provider.Recorded{}
	}
	r := provider.Recorded{Body: body}
	switch d.Root().Get(api.KeyGet).Text() {
	case api.EndpointFixtures:
		r.Endpoint = api.EndpointFixtures
	case api.EndpointOdds:
		r.Endpoint = api.EndpointOdds
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

func bookmakerQuery(id string) url.Values { return url.Values{api.ParamBookmaker: {id}} }
