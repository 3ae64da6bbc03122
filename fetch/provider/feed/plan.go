package feed

import (
	"net/url"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
)

// probes ask for the first page of fixtures, the markets of some of it, and the matches
// in play.
var probes = []provider.Probe{
	func(provider.Probing) (provider.Request, bool) { return fixturesRequest(""), true },
	func(p provider.Probing) (provider.Request, bool) {
		d := decode.Document()
		defer decode.Release(d)
		if d.Parse(p.Answer(api.EndpointFixtures)) != nil {
			return provider.Request{}, false
		}
		var ids []string
		for v := range d.Root().Get("fixtures").Items() {
			f, broken := readFixture(&fixtureShape, v, nil, new(decode.Counts), new(decode.Counts))
			if broken == "" && f.State == api.NotStarted && len(ids) < perRequest {
				ids = append(ids, strings.Clone(f.ID))
			}
		}
		return marketsRequest(ids), len(ids) > 0
	},
	func(provider.Probing) (provider.Request, bool) { return liveRequest, true },
}

func fixturesRequest(cursor string) provider.Request {
	q := url.Values{}
	if cursor != "" {
		q.Set(api.ParamCursor, cursor)
	}
	return provider.Request{Endpoint: api.EndpointFixtures, Path: api.PathFixtures, Query: q}
}

func marketsRequest(ids []string) provider.Request {
	return provider.Request{Endpoint: api.EndpointMarkets, Path: api.PathMarkets, Query: url.Values{api.ParamFixtures: {strings.Join(ids, ",")}}}
}

var liveRequest = provider.Request{Endpoint: api.EndpointLive, Path: api.PathLive}

func neededBy(r provider.Request) []provider.Capability {
	switch r.Endpoint {
	case api.EndpointMarkets:
		return []provider.Capability{provider.Prematch}
	case api.EndpointLive:
		return []provider.Capability{provider.LiveStats, provider.Timeline}
	}
	return nil
}

// readPlan finds the kinds of data that an answer has. A feed does not name a plan.
func readPlan(a provider.Answered) (p provider.Plan) {
	d := decode.Document()
	defer decode.Release(d)
	root, err := decode.Root(d, a.Payload)
	if err != nil {
		return p
	}
	has := func(list, key string) bool {
		for v := range root.Get(list).Items() {
			if part := v.Get(key); part.Kind() != strictjson.Null && part.Len() > 0 {
				return true
			}
		}
		return false
	}
	for capability, found := range map[provider.Capability]bool{
		provider.Prematch: has("fixtures", "markets"), provider.LiveStats: has("matches", "counters"),
		provider.Timeline: has("matches", "events"),
	} {
		if found {
			p.Includes = append(p.Includes, capability)
		}
	}
	return p
}
