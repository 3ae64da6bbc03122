package betsapi

import (
	"net/url"
	"strings"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
)

// probes ask each endpoint of the two products once. The provider refuses a product that
// is not bought with PERMISSION_DENIED, and names no plan (betsapi.md, sections 1 and 12).
var probes = []provider.Probe{probeUpcoming, probePrematch, probeInplay, probeView}

// probeUpcoming requests the first page of one day's list: at most 50 short items.
func probeUpcoming(p provider.Probing) (provider.Request, bool) {
	query := footballOnly()
	query.Set(wire.ParamPage, "1")
	query.Set(wire.ParamDay, p.Now.UTC().Format(wire.DayForm))
	return provider.Request{Endpoint: wire.EndpointUpcoming, Path: wire.PathUpcoming, Query: query}, true
}

// probePrematch requests the markets of the first fixture of the list.
func probePrematch(p provider.Probing) (provider.Request, bool) {
	ids := idsIn(p.Answer(wire.EndpointUpcoming), 1)
	return provider.Request{Endpoint: wire.EndpointPrematch, Path: wire.PathPrematch, Query: url.Values{
		wire.ParamFixtures: ids, wire.ParamLanguage: {wire.English},
	}}, len(ids) > 0
}

func probeInplay(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointInplay, Path: wire.PathInplay, Query: footballOnly()}, true
}

// probeView requests the events of as many matches in play as one request may ask for:
// one of them alone may have none.
func probeView(p provider.Probing) (provider.Request, bool) {
	ids := idsIn(p.Answer(wire.EndpointInplay), wire.MaxBatch)
	return provider.Request{Endpoint: wire.EndpointView, Path: wire.PathView, Query: url.Values{
		wire.ParamEvents: {strings.Join(ids, ",")}, wire.ParamLanguage: {wire.English},
	}}, len(ids) > 0
}

// idsIn returns the first ids of a list, at most n.
func idsIn(body []byte, n int) (ids []string) {
	d := answer.Document()
	defer answer.Release(d)
	results, err := readResults(d, body)
	if err != nil {
		return nil
	}
	for item := range results.Items() {
		if id := answer.ID(item.Get("id")); id != "" && len(ids) < n {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

// neededBy returns what cannot be had without an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case wire.EndpointUpcoming, wire.EndpointPrematch:
		return []provider.Capability{provider.Prematch}
	case wire.EndpointInplay:
		return []provider.Capability{provider.LiveStats, provider.Timeline}
	case wire.EndpointView:
		return []provider.Capability{provider.Timeline}
	}
	return nil
}

// readPlan reads what an answer shows. An answer about markets shows prematch even if the
// fixture has none: a product that is not bought is refused.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := answer.Document()
	defer answer.Release(d)
	_, results, err := readEnvelope(d, a.Payload)
	if err != nil {
		return p
	}
	switch {
	case a.Endpoint == wire.EndpointPrematch:
		p.Includes = []provider.Capability{provider.Prematch}
	case a.Endpoint == wire.EndpointInplay && someHave(results, "stats"):
		p.Includes = []provider.Capability{provider.LiveStats}
	case a.Endpoint == wire.EndpointView && someHave(results, "events"):
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
