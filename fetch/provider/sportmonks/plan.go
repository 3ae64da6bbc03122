package sportmonks

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// probes ask for one page of everything for sale. A plan without an
// endpoint, or without an include of a request, refuses it with the status 403. The message
// "nothing found" shows nothing: the provider sends it for both (provider notes,
// sections 1.3 and 1.4).
var probes = []provider.Probe{probeDay, probeOdds, probeInplay, probeLiveOdds}

// probeDay asks for one fixture of a day whose second half is still to come: late in a day
// none of its fixtures may be left.
func probeDay(p provider.Probing) (provider.Request, bool) {
	day := p.Now.UTC().Add(12 * time.Hour)
	return provider.Request{Endpoint: api.EndpointByDate, Path: api.PathByDate + day.Format(api.DayForm), Query: url.Values{api.ParamPerPage: {"1"}}}, true
}

// probeOdds asks for the prices of that fixture, as a cycle does. A list of prices, even
// an empty one, is only there if the plan includes prices.
func probeOdds(p provider.Probing) (provider.Request, bool) {
	listed, err := readPage(p.Answer(api.EndpointByDate))
	if err != nil || len(listed.items) == 0 {
		return provider.Request{}, false
	}
	return pricesOf(listed.items[0].ID, p.Bookmaker), true
}

func probeInplay(provider.Probing) (provider.Request, bool) {
	return provider.Request{Endpoint: api.EndpointInplay, Path: api.PathInplay, Query: url.Values{api.ParamInclude: {api.IncludeInplay}}}, true
}

// probeLiveOdds asks for the prices in play of the first match that is in play.
func probeLiveOdds(p provider.Probing) (provider.Request, bool) {
	listed, err := readPage(p.Answer(api.EndpointInplay))
	if err != nil {
		return provider.Request{}, false
	}
	at := slices.IndexFunc(listed.items, func(i item) bool { return frozen[i.State] })
	if at < 0 {
		return provider.Request{}, false
	}
	return provider.Request{Endpoint: api.EndpointLiveOdds, Path: api.PathLiveOdds + listed.items[at].ID}, true
}

// neededBy returns the capabilities behind an endpoint.
func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case api.EndpointBetween, api.EndpointByDate, api.EndpointMulti, api.EndpointPrematch:
		return []provider.Capability{provider.Prematch}
	case api.EndpointInplay:
		return []provider.Capability{provider.LiveStats, provider.Timeline, provider.PlayerEvents}
	case api.EndpointLiveOdds:
		return []provider.Capability{provider.LiveOdds}
	}
	return nil
}

// readPlan reads the names of the plans, which every answer has, and the capabilities with
// data in the answer.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := decode.Document()
	defer decode.Release(d)
	envelope, data, err := readEnvelope(d, a.Payload)
	if err != nil {
		return p
	}
	p.Name = planNames(envelope.Get(api.KeySubscription))
	prices, stats, events, players := false, false, false, false
	for item := range itemsOf(data) {
		prices = prices || item.Get(api.KeyOdds).Kind() == strictjson.Array
		stats = stats || item.Get("statistics").Len() > 0
		for event := range item.Get("events").Items() {
			events = true
			players = players || decode.ID(event.Get("player_id")) != ""
		}
	}
	for _, found := range []struct {
		is   bool
		what provider.Capability
	}{
		{prices || a.Endpoint == api.EndpointPrematch && data.Len() > 0, provider.Prematch},
		{a.Endpoint == api.EndpointLiveOdds && data.Kind() == strictjson.Array && data.Len() > 0, provider.LiveOdds},
		{stats && a.Endpoint == api.EndpointInplay, provider.LiveStats},
		{events && a.Endpoint == api.EndpointInplay, provider.Timeline},
		{players && a.Endpoint == api.EndpointInplay, provider.PlayerEvents},
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
		for _, of := range []struct{ list, name string }{{api.KeyPlans, "plan"}, {api.KeyAddOns, "add_on"}} {
			for bought := range s.Get(of.list).Items() {
				name := bought.Get(of.name)
				if bought.Get(api.KeySport).Text() == api.SportFootball && name.Kind() == strictjson.String && name.Text() != "" && !slices.Contains(names, name.Text()) {
					names = append(names, name.Text())
				}
			}
		}
	}
	return strings.Join(names, ", ")
}
