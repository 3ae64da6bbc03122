package sportmonks

import (
	"net/url"
	"slices"
	"strings"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
)

// probes ask for one page of everything that is sold. A plan that does not include an
// endpoint, or what a request includes, refuses it with the status 403. The message that
// nothing was found shows nothing: the provider sends it for both (provider notes,
// sections 1.3 and 1.4).
var probes = []provider.Probe{probeDay, probeOdds, probeInplay, probeLiveOdds}

// probeDay asks for one fixture of a day.
func probeDay(p provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointByDate, Path: wire.PathByDate + p.Now.UTC().Format(wire.DayForm), Query: url.Values{wire.ParamPerPage: {"1"}}}, true
}

// probeOdds asks for the prices of that fixture, as a cycle does. A list of prices, even
// an empty one, is only there if the plan includes prices.
func probeOdds(p provider.Probing) (provider.Request, bool) {
	listed, err := readPage(p.Answer(wire.EndpointByDate))
	if err != nil || len(listed.items) == 0 {
		return provider.Request{}, false
	}
	return pricesOf(listed.items[0].id, p.Bookmaker), true
}

func probeInplay(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: wire.EndpointInplay, Path: wire.PathInplay, Query: url.Values{wire.ParamInclude: {wire.IncludeInplay}}}, true
}

// probeLiveOdds asks for the prices in play of the first match that is in play.
func probeLiveOdds(p provider.Probing) (provider.Request, bool) {
	listed, err := readPage(p.Answer(wire.EndpointInplay))
	if err != nil {
		return provider.Request{}, false
	}
	at := slices.IndexFunc(listed.items, func(i item) bool { return frozen[i.state] })
	if at < 0 {
		return provider.Request{}, false
	}
	return provider.Request{Endpoint: wire.EndpointLiveOdds, Path: wire.PathLiveOdds + listed.items[at].id}, true
}

// neededBy returns what cannot be had without an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case wire.EndpointBetween, wire.EndpointByDate, wire.EndpointMulti, wire.EndpointPrematch:
		return []provider.Capability{provider.Prematch}
	case wire.EndpointInplay:
		return []provider.Capability{provider.LiveStats, provider.Timeline, provider.PlayerEvents}
	case wire.EndpointLiveOdds:
		return []provider.Capability{provider.LiveOdds}
	}
	return nil
}

// readPlan reads the names of the plans, which every answer has, and what the answer has
// data of.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := answer.Document()
	defer answer.Release(d)
	envelope, data, err := readEnvelope(d, a.Payload)
	if err != nil {
		return p
	}
	p.Name = planNames(envelope.Get(wire.KeySubscription))
	prices, stats, events, players := false, false, false, false
	for item := range itemsOf(data) {
		prices = prices || item.Get(wire.KeyOdds).Kind() == strictjson.Array
		stats = stats || item.Get("statistics").Len() > 0
		for event := range item.Get("events").Items() {
			events = true
			players = players || answer.ID(event.Get("player_id")) != ""
		}
	}
	for _, found := range []struct {
		is   bool
		what provider.Capability
	}{
		{prices || a.Endpoint == wire.EndpointPrematch && data.Len() > 0, provider.Prematch},
		{a.Endpoint == wire.EndpointLiveOdds && data.Kind() == strictjson.Array && data.Len() > 0, provider.LiveOdds},
		{stats && a.Endpoint == wire.EndpointInplay, provider.LiveStats},
		{events && a.Endpoint == wire.EndpointInplay, provider.Timeline},
		{players && a.Endpoint == wire.EndpointInplay, provider.PlayerEvents},
	} {
		if found.is {
			p.Includes = append(p.Includes, found.what)
		}
	}
	return p
}

// planNames joins the names of the plans and add-ons of football.
func planNames(subscriptions strictjson.Value) string {
	var names []string
	for s := range subscriptions.Items() {
		for _, of := range []struct{ list, name string }{{wire.KeyPlans, "plan"}, {wire.KeyAddOns, "add_on"}} {
			for bought := range s.Get(of.list).Items() {
				name := bought.Get(of.name)
				if bought.Get(wire.KeySport).Text() == wire.SportFootball && name.Kind() == strictjson.String && name.Text() != "" && !slices.Contains(names, name.Text()) {
					names = append(names, name.Text())
				}
			}
		}
	}
	return strings.Join(names, ", ")
}
