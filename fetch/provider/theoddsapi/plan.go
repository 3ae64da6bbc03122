package theoddsapi

import (
	"fmt"
	"net/url"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

// probes ask for the competitions, and then for one market of one of them.
var probes = []provider.Probe{
	func(provider.Probing) (provider.Request, bool) { return competitions(), true },
	probeOdds,
}

// competitions asks for the competitions: it costs no credit, and its headers say how
// many are left.
func competitions() provider.Request {
	return provider.Request{Endpoint: api.EndpointSports, Path: api.PathSports, Query: url.Values{}}
}

// probeOdds asks for the result of the fixtures of the first competition of football that
// is active. It costs one credit, and none if there is no fixture.
func probeOdds(p provider.Probing) (provider.Request, bool) {
	var d strictjson.Document
	list, err := readList(&d, provider.Payload{Body: p.Answer(api.EndpointSports)})
	if err != nil {
		return provider.Request{}, false
	}
	for v := range list.Items() {
		if key, isFootball, ok := readSport(v); ok && isFootball {
			return provider.Request{Endpoint: api.EndpointOdds, Path: api.PathOdds(key), Query: url.Values{
				api.ParamBookmakers: {p.Bookmaker}, api.ParamMarkets: {api.Result},
				api.ParamOddsFormat: {api.Decimal}, api.ParamDateFormat: {api.ISO},
			}}, true
		}
	}
	return provider.Request{}, false
}

// neededBy returns the capabilities behind an endpoint. Prices before and after the
// kick-off are the same request.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case api.EndpointOdds, api.EndpointEventOdds:
		return []provider.Capability{provider.Prematch, provider.LiveOdds}
	case api.EndpointEvents:
		return []provider.Capability{provider.Prematch}
	}
	return nil
}

// readPlan names the plan by its credits, since the provider tells no name, and reads
// whether there are prices at all, and of a fixture that has begun.
func readPlan(a provider.Answered) (p provider.Plan) {
	if a.Quota != nil && a.Quota.Limit > 0 {
		p.Name = fmt.Sprintf("%d credits a month", a.Quota.Limit)
	}
	if a.Endpoint != api.EndpointOdds && a.Endpoint != api.EndpointEventOdds {
		return p
	}
	d := decode.Document()
	defer decode.Release(d)
	if d.Parse(a.Body) != nil {
		return p
	}
	priced, inPlay := false, false
	look := func(event strictjson.Value) {
		if event.Get(api.KeyBookmakers).Len() == 0 {
			return
		}
		priced = true
		if start := timeOf(event.Get(api.KeyStart)); !start.IsZero() && !start.After(a.FetchedAt) {
			inPlay = true
		}
	}
	look(d.Root()) // of one fixture
	for event := range d.Root().Items() {
		look(event)
	}
	if priced {
		p.Includes = append(p.Includes, provider.Prematch)
	}
	if inPlay {
		p.Includes = append(p.Includes, provider.LiveOdds)
	}
	return p
}
