package emulator

import (
	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/world"
)

// dialect answers over invented worlds.
type dialect struct {
	base
	world.IDs
	lists    world.Lists[listedItem]
	rendered *cache.Cache[pricesKey, []byte]
}

// pricesKey identifies one rendering of a fixture's markets.
type pricesKey struct {
	world   *world.World
	number  int64
	version int64
}

// Answer serves a question that was asked in proper form.
func (d *dialect) Answer(q simulator.Question) simulator.Answer {
	switch q.Endpoint {
	case api.EndpointUpcoming:
		return d.upcoming(q)
	case api.EndpointInplay:
		return d.eventsInPlay(q)
	case api.EndpointView:
		return d.eventView(q)
	}
	return d.prematch(q)
}

// prematch answers bet365/prematch: the fixtures it knows, in the order asked.
// An unknown id is left out (betsapi.md, section 1.2).
func (d *dialect) prematch(q simulator.Question) simulator.Answer {
	ids, wrong := idList(q.Query, api.ParamFixtures)
	if wrong != nil {
		return *wrong
	}
	results := make([][]byte, 0, len(ids))
	for _, id := range ids {
		n, ok := fixtureIDs.FixtureNumber(q.World, id)
		if !ok {
			continue
		}
		o, ok := q.World.Offering(n, q.Now)
		if !ok {
			continue
		}
		results = append(results, d.rendered.Get(pricesKey{q.World, o.Fixture.Number, o.Version}, func() []byte {
			return newRenderer(q.World, o).render()
		}))
	}
	return simulator.Answer{Items: results}
}
