package apifootball

import (
	"net/url"
	"strings"
	"time"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/wire"
)

// probes ask for the account's status, and then for one page of everything that is sold.
// A plan that does not include something refuses it with the error "plan".
var probes = []provider.Probe{probeStatus, probeLastDay, probeOdds, probeLive, probeDetails, probeLiveOdds}

// probeStatus asks for the status of the account, which tells the plan and the quota and
// costs nothing. It holds personal data, and of a probe's answer only the plan's name
// and its end are kept.
func probeStatus(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointStatus, Path: wire.PathStatus}, true
}

// probeLastDay asks for the list of the farthest day that a cycle lists: a free plan has
// only the days around today, and refuses the cycle.
func probeLastDay(p provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointFixtures, Path: wire.PathFixtures, Query: url.Values{
		wire.ParamDate: {p.Now.UTC().AddDate(0, 0, horizon-1).Format(wire.DateForm)},
	}}, true
}

func probeOdds(p provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointOdds, Path: wire.PathOdds, Query: url.Values{
		wire.ParamDate: {p.Now.UTC().Format(wire.DateForm)}, wire.ParamBookmaker: {p.Bookmaker}, wire.ParamPage: {"1"},
	}}, true
}

func probeLive(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointLive, Path: wire.PathFixtures, Query: url.Values{wire.ParamLive: {wire.LiveAll}}}, true
}

// probeDetails asks for as many matches in play as one request may ask for: many
// competitions have no statistics.
func probeDetails(p provider.Probing) (provider.Request, bool) {
	d := answer.Document()
	defer answer.Release(d)
	items, err := readResponse(d, p.Answer(wire.EndpointLive))
	if err != nil {
		return provider.Request{}, false
	}
	var ids []string
	for v := range items.Items() {
		if i, broken := readItem(v, nil, new(answer.Tally)); broken == "" && inPlay[i.status] && len(ids) < wire.MaxIDs {
			ids = append(ids, strings.Clone(i.id))
		}
	}
	return provider.Request{Endpoint: wire.EndpointDetails, Path: wire.PathFixtures, Query: url.Values{
		wire.ParamIDs: {strings.Join(ids, wire.IDSeparator)},
	}}, len(ids) > 0
}

// probeLiveOdds asks for one kind of bet, so that the answer is short.
func probeLiveOdds(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointLiveOdds, Path: wire.PathLiveOdds, Query: url.Values{wire.ParamBet: {wire.LiveResult}}}, true
}

// neededBy returns what cannot be had without an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case wire.EndpointFixtures, wire.EndpointOdds:
		return []provider.Capability{provider.Prematch}
	case wire.EndpointLive:
		return []provider.Capability{provider.LiveStats, provider.Timeline, provider.PlayerEvents}
	case wire.EndpointDetails:
		return []provider.Capability{provider.LiveStats}
	case wire.EndpointLiveOdds:
		return []provider.Capability{provider.LiveOdds}
	}
	return nil
}

// readPlan reads the plan in an account's status, and what other answers have data of.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := answer.Document()
	defer answer.Release(d)
	if a.Endpoint == wire.EndpointStatus {
		if d.Parse(a.Body) == nil {
			bought := d.Root().Get(wire.KeyResponse).Get("subscription")
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
	case wire.EndpointOdds:
		return provider.Plan{Includes: []provider.Capability{provider.Prematch}}
	case wire.EndpointLiveOdds:
		return provider.Plan{Includes: []provider.Capability{provider.LiveOdds}}
	case wire.EndpointLive, wire.EndpointDetails:
		return provider.Plan{Includes: inMatches(items)}
	}
	return p
}

// inMatches returns what the answer about matches in play has data of.
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
