package emulator

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
)

// read reads a request, or returns the answer to one about something that is not there. The forms
// of times, odds and ids are not checked.
func (d *dialect) read(q simulator.Question) (a ask, wrong *simulator.Answer) {
	refuse := func(status int, code, message string) (ask, *simulator.Answer) {
		answer := refusal(status, code, message)
		return ask{}, &answer
	}
	if q.Endpoint == api.EndpointSports {
		return a, nil
	}
	sport, event := subjects(q.Path)
	if !isSport(sport) {
		return refuse(http.StatusNotFound, api.ErrUnknownSport, "Unknown sport")
	}
	ids := list(cmp.Or(event, q.Query.Get(api.ParamEvents)))
	for _, f := range d.Listed(q.World, q.Now) {
		if sportOf(f.League) == sport && (ids == nil || slices.Contains(ids, d.FixtureID(q.World, f))) {
			a.fixtures = append(a.fixtures, f)
		}
	}
	if q.Endpoint == api.EndpointEvents {
		return a, nil
	}
	if event != "" && len(a.fixtures) == 0 {
		return refuse(http.StatusNotFound, api.ErrEventNotFound, "Event not found. The event may have expired or the event id is invalid")
	}
	for _, key := range list(q.Query.Get(api.ParamBookmakers)) {
		at := slices.IndexFunc(makers, func(m maker) bool { return m.Key == key })
		if at < 0 {
			return refuse(http.StatusUnprocessableEntity, api.ErrBookmakers, "Invalid bookmakers: "+key)
		}
		a.makers = append(a.makers, makers[at])
	}
	if a.makers == nil {
		if !q.Query.Has("regions") {
			return refuse(http.StatusUnprocessableEntity, "MISSING_REGION", "Missing regions or bookmakers parameter")
		}
		a.makers = makers
	}
	a.markets = list(q.Query.Get(api.ParamMarkets))
	if a.markets == nil {
		a.markets = []string{keyResult}
	}
	for _, key := range a.markets {
		switch {
		case !isMarket(key):
			return refuse(http.StatusUnprocessableEntity, api.ErrMarket, "Invalid markets: "+key)
		case q.Endpoint == api.EndpointOdds && !slices.Contains(list(api.Featured), key) && key != keyLay:
			return refuse(http.StatusUnprocessableEntity, api.ErrMarket, "Markets not supported by this endpoint: "+key)
		}
	}
	return a, nil
}

// list splits a parameter at its commas; nil if it is empty.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
