// Package emulator renders the simulated world in the wire format of The Odds API,
// version 4.
package emulator

import (
	"net/http"
	"strconv"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

// New returns an emulator of The Odds API: an [http.Handler] in the provider's
// wire format over invented worlds, with its credits, error codes and oddities. A
// window of Options.Quota is the provider's month.
func New(o simulator.Options) (*simulator.Server, error) {
	d := &dialect{lists: world.NewLists(ahead, func(competition.Fixture) int { return fixtureSize })}
	if o.Replay != "" {
		r, err := openReplay(o.Replay)
		if err != nil {
			return nil, err
		}
		return simulator.NewServer(o, simulator.Replay{Dialect: d, Serve: r.answer})
	}
	return simulator.NewServer(o, d)
}

// fixtureSize is the approximate memory of a fixture, in bytes.
const fixtureSize = 1 << 10

// Cost implements simulator.Charging: a credit for each market and ten bookmakers.
// Lists, refusals and empty answers cost nothing.
func (d *dialect) Cost(q simulator.Question) int {
	a, wrong := d.read(q)
	if wrong != nil {
		return 0
	}
	return d.cost(q, a)
}

// Answer implements simulator.Dialect.
func (d *dialect) Answer(q simulator.Question) simulator.Answer {
	a, wrong := d.read(q)
	if wrong != nil {
		return *wrong
	}
	items := [][]byte{} // never nil: an empty list is an answer as well
	switch q.Endpoint {
	case api.EndpointSports:
		items = d.sports(q)
	case api.EndpointEvents:
		for _, f := range a.fixtures {
			items = append(items, simulator.JSON(eventOf(q.World, f)))
		}
	default:
		for _, f := range a.fixtures {
			if e := d.priced(q, f, a); e != nil {
				items = append(items, simulator.JSON(e))
			}
		}
	}
	answer := simulator.Answer{Items: items, Header: http.Header{api.HeaderLast: {strconv.Itoa(d.cost(q, a))}}}
	if q.Endpoint == api.EndpointEventOdds {
		answer.Body = items[0] // one object; a fault turns it into a list
	}
	return answer
}
