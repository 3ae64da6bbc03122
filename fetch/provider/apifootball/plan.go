package apifootball

import (
	"net/url"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// probes ask for the account's status, and then for one page of everything for sale.
// A plan without one of these refuses it with the error "plan".
var probes = []provider.Probe{probeStatus, probeLastDay, probeOdds, probeLive, probeDetails, probeLiveOdds}

// probeStatus asks for the status of the account, which tells the plan and the quota and
// costs nothing. It holds personal data, and of a probe's answer only the plan's name
// and its end are kept.
func probeStatus(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointStatus, Path: api.PathStatus}, true
}

// probeLastDay asks for the list of the farthest day that a cycle lists: a free plan has
// only the days around today, and refuses the cycle.
func probeLastDay(p provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointFixtures, Path: api.PathFixtures, Query: url.Values{
		api.ParamDate: {p.Now.UTC().AddDate(0, 0, horizon-1).Format(api.DateForm)},
	}}, true
}

func probeOdds(p provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointOdds, Path: api.PathOdds, Query: url.Values{
		api.ParamDate: {p.Now.UTC().Format(api.DateForm)}, api.ParamBookmaker: {p.Bookmaker}, api.ParamPage: {"1"},
	}}, true
}

func probeLive(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointLive, Path: api.PathFixtures, Query: url.Values{api.ParamLive: {api.LiveAll}}}, true
}

// probeDetails asks for as many matches in play as one request may ask for: many
// competitions have no statistics.
func probeDetails(p provider.Probing) (provider.Request, bool) {
	d := decode.Document()
	defer decode.Release(d)
	_, items, err := readEnvelope(d, provider.Payload{Body: p.Answer(api.EndpointLive)})
	if err != nil {
		return provider.Request{}, false
	}
	var ids []string
	for v := range items.Items() {
		if i, broken := readItem(v, nil, new(decode.Counts)); broken == "" && inPlay[i.State] && len(ids) < api.MaxIDs {
			ids = append(ids, strings.Clone(i.ID))
		}
	}
	return provider.Request{Endpoint: api.EndpointDetails, Path: api.PathFixtures, Query: url.Values{
		api.ParamIDs: {strings.Join(ids, api.IDSeparator)},
	}}, len(ids) > 0
}

// probeLiveOdds asks for one kind of bet, so the answer is short.
func probeLiveOdds(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointLiveOdds, Path: api.PathLiveOdds, Query: url.Values{api.ParamBet: {api.LiveResult}}}, true
}

// neededBy returns the capabilities behind an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case api.EndpointFixtures, api.EndpointOdds:
		return []provider.Capability{provider.Prematch}
	case api.EndpointLive:
		return []provider.Capability{provider.LiveStats, provider.Timeline, provider.PlayerEvents}
	case api.EndpointDetails:
		return []provider.Capability{provider.LiveStats}
	case api.EndpointLiveOdds:
		return []provider.Capability{provider.LiveOdds}
	}
	return nil
}

// readPlan reads the plan in an account's status, and the data in other answers.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := decode.Document()
	defer decode.Release(d)
	if a.Endpoint == api.EndpointStatus {
		if d.Parse(a.Body) == nil {
			bought := d.Root().Get(api.KeyResponse).Get("subscription")
			if name := bought.Get("plan"); name.Kind() == strictjson.String {
				p.Name = strings.Clone(name.Text())
			}
			p.EndsAt, _ = time.Parse(time.RFC3339, bought.Get("end").Text())
		}
		return p
	}
	_, items, err := readEnvelope(d, a.Payload)
	if err != nil || items.Len() == 0 {
		return p
	}
	switch a.Endpoint {
	case api.EndpointOdds:
		return provider.Plan{Includes: []provider.Capability{provider.Prematch}}
	case api.EndpointLiveOdds:
		return provider.Plan{Includes: []provider.Capability{provider.LiveOdds}}
	case api.EndpointLive, api.EndpointDetails:
		return provider.Plan{Includes: inMatches(items)}
	}
	return p
}

// inMatches returns the capabilities with data in the answer about matches in play.
func inMatches(items strictjson.Value) (list []provider.Capability) {
	stats, events, players := false, false, false
	for item := range items.Items() {
		stats = stats || item.Get("statistics").Len() > 0
		for event := range item.Get("events").Items() {
			events = true
			players = players || identifier(event.Get("player").Get("id")) != ""
		}
	}
	for _, found := range []struct {
		is   bool
		what provider.Capability
	}{{stats, provider.LiveStats}, {events, provider.Timeline}, {players, provider.PlayerEvents}} {
		if found.is {
			list = append(list, found.what)
		}
	}
	return list
}
