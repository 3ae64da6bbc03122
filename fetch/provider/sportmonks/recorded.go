package sportmonks

import (
	"net/url"
	"slices"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// recorded implements provider.Provider.Recorded. Rows of odds in play, which
// alone have a member suspended, are not the market engine's. A fixture that was saved
// without its envelope gets one.
func recorded(body []byte) provider.Recorded {
	d := decode.Document()
	defer decode.Release(d)
	if d.Parse(body) == nil && isFixture(d.Root()) {
		body = slices.Concat([]byte(`{"`+api.KeyData+`":`), body, []byte(`}`))
	}
	_, data, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return provider.Recorded{}
	}
	r := provider.Recorded{Body: body}
	for item := range itemsOf(data) {
		switch {
		case item.Get("market_id").Kind() != strictjson.Absent && item.Get("suspended").Kind() == strictjson.Absent:
			r.Endpoint = api.EndpointPrematch
			addBookmaker(&r, item)
		case isFixture(item) && item.Get(api.KeyOdds).Kind() != strictjson.Absent:
			r.Endpoint = api.EndpointMulti
			for row := range item.Get(api.KeyOdds).Items() {
				addBookmaker(&r, row)
			}
		case isFixture(item) && r.Endpoint == "":
			r.Endpoint = api.EndpointByDate
		}
	}
	return r
}

func addBookmaker(r *provider.Recorded, row strictjson.Value) {
	if id := decode.ID(row.Get("bookmaker_id")); isBookmaker(id) {
		r.AddBookmaker(id)
	}
}

// isFixture reports whether a value has the members of every fixture and of nothing else.
func isFixture(v strictjson.Value) bool {
	return v.Get("starting_at").Kind() != strictjson.Absent && v.Get("league_id").Kind() != strictjson.Absent
}

func bookmakerQuery(id string) url.Values {
	return url.Values{api.ParamFilters: {bookmakerFilter(id)}}
}

// bookmakerFilter is the value of the parameter filters that names a bookmaker.
func bookmakerFilter(id string) string { return api.FilterBookmakers + ":" + id }
