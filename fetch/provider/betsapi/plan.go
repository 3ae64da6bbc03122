package betsapi

import (
	"net/url"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// probes ask each endpoint of the two products once. The provider refuses a product that
// is not bought with PERMISSION_DENIED, and names no plan (betsapi.md, sections 1 and 12).
var probes = []provider.Probe{probeUpcoming, probePrematch, probeInplay, probeView}

// probeUpcoming requests the first page of one day's list: at most 50 short items.
func probeUpcoming(p provider.Probing) (provider.Request, bool) {
	query := footballOnly()
	query.Set(api.ParamPage, "1")
	query.Set(api.ParamDay, p.Now.UTC().Format(api.DayForm))
	return provider.Request{Endpoint: api.EndpointUpcoming, Path: api.PathUpcoming, Query: query}, true
}

// probePrematch requests the markets of the first fixture of the list.
func probePrematch(p provider.Probing) (provider.Request, bool) {
	ids := idsIn(p.Answer(api.EndpointUpcoming), 1)
	return provider.Request{Endpoint: api.EndpointPrematch, Path: api.PathPrematch, Query: url.Values{
		api.ParamFixtures: ids, api.ParamLanguage: {api.English},
	}}, len(ids) > 0
}

func probeInplay(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointInplay, Path: api.PathInplay, Query: footballOnly()}, true
}

// probeView requests the events of as many matches in play as one request may ask for:
// one of them alone may have none.
func probeView(p provider.Probing) (provider.Request, bool) {
	ids := idsIn(p.Answer(api.EndpointInplay), api.MaxBatch)
	return provider.Request{Endpoint: api.EndpointView, Path: api.PathView, Query: url.Values{
		api.ParamEvents: {strings.Join(ids, ",")}, api.ParamLanguage: {api.English},
	}}, len(ids) > 0
}

// idsIn returns the first ids of a list, at most n.
func idsIn(body []byte, n int) (ids []string) {
	d := decode.Document()
	defer decode.Release(d)
	_, results, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return nil
	}
	for item := range results.Items() {
		if id := decode.ID(item.Get("id")); id != "" && len(ids) < n {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

// neededBy returns the capabilities behind an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case api.EndpointUpcoming, api.EndpointPrematch:
		return []provider.Capability{provider.Prematch}
	case api.EndpointInplay:
		return []provider.Capability{provider.LiveStats, provider.Timeline}
	case api.EndpointView:
		return []provider.Capability{provider.Timeline}
	}
	return nil
}

// readPlan reads the plan in an answer. An answer about markets shows prematch even if the
// fixture has none: a product that is not bought is refused.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := decode.Document()
	defer decode.Release(d)
	_, results, err := readEnvelope(d, a.Payload)
	if err != nil {
		return p
	}
	switch {
	case a.Endpoint == api.EndpointPrematch:
		p.Includes = []provider.Capability{provider.Prematch}
	case a.Endpoint == api.EndpointInplay && someHave(results, "stats"):
		p.Includes = []provider.Capability{provider.LiveStats}
	case a.Endpoint == api.EndpointView && someHave(results, "events"):
		p.Includes = []provider.Capability{provider.Timeline}
	}
	return p
}

// someHave reports whether a member of some item has something in it.
func someHave(items strictjson.Value, member string) bool {
	for item := range items.Items() {
		if item.Get(member).Len() > 0 {
			return true
		}
	}
	return false
}
