package emulator

import (
	"strings"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/world"
)

// New returns an emulator of API-Football: an [http.Handler] in the provider's
// wire format over invented worlds or, if Options.Replay is set, over recorded payloads.
func New(o simulator.Options) (*simulator.Server, error) {
	d := &dialect{IDs: fixtureIDs,
		lists: world.NewLists((*world.World).Football, func(l listed) int { return len(l.json) }),
		odds:  cache.New[oddsKey](64<<20, func(b []byte) int { return len(b) }),
	}
	if o.Replay == "" {
		return simulator.NewServer(o, d)
	}
	r, err := openReplay(o.Replay)
	if err != nil {
		return nil, err
	}
	return simulator.NewServer(o, simulator.Replay{Dialect: d, Serve: r.answer})
}

// Answer implements simulator.Dialect.
func (d *dialect) Answer(q simulator.Question) simulator.Answer {
	get, _, _ := strings.Cut(q.Endpoint, "/")
	if key, text := wrong(q); key != "" {
		return refused(get, q.Query, key, text)
	}
	var items [][]byte
	page := simulator.Page{Number: 1}
	switch q.Endpoint {
	case api.EndpointStatus:
		return accountStatus(get)
	case api.EndpointLiveOdds:
		items = [][]byte{} // the world has no prices in play
	case api.EndpointFixtures:
		items = d.day(q)
	case api.EndpointLive:
		items = playing(q)
	case api.EndpointDetails:
		items = details(q)
	default:
		items, page = d.oddsPage(q)
	}
	if page.Size == 0 { // it is not paged
		page.Size, page.Total = max(1, len(items)), len(items)
	}
	page.Asked = repeated(get, q.Query)
	return simulator.Answer{Items: items, Page: &page}
}
