// Package emulator renders the simulated world in the wire format of Sportmonks v3:
// fixtures with their prices, and matches in play.
//
// Source: provider notes for Sportmonks v3, as of November 2026.
package emulator

import (
	"strings"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/world"
)

// New returns an emulator of Sportmonks: an [http.Handler] in the provider's wire
// format over invented worlds or, if Options.Replay is set, over recorded payloads.
func New(o simulator.Options) (*simulator.Server, error) {
	d := dialect{IDs: fixtureIDs,
		lists:    world.NewLists((*world.World).Fixtures, func(it listedItem) int { return len(it.json) }),
		rendered: cache.New[pricesKey](64<<20, func(b []byte) int { return len(b) }),
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
func (d dialect) Answer(q simulator.Question) simulator.Answer {
	switch q.Endpoint {
	case api.EndpointBetween:
		from, to, _ := strings.Cut(strings.TrimPrefix(q.Path, api.PathBetween), "/")
		return d.fixtures(q, from, to)
	case api.EndpointByDate:
		day := strings.TrimPrefix(q.Path, api.PathByDate)
		return d.fixtures(q, day, day)
	case api.EndpointMulti:
		return d.prices(q)
	case api.EndpointLiveOdds: // an add-on that the simulated plan does not have
		return d.Refuse(simulator.NotBought)
	}
	return d.inplay(q)
}
