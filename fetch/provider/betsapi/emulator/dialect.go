package emulator

import (
	"sync"
	"time"

	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/fetch/simulator"
)

// dialect answers over invented worlds.
type dialect struct {
	base
	sheets *cache

	mu    sync.Mutex
	pages map[pageKey]*listing
}

// Answer serves a question that was asked in proper form.
func (d *dialect) Answer(q simulator.Question) simulator.Answer {
	switch q.Endpoint {
	case wire.EndpointUpcoming:
		return d.upcoming(q)
	case wire.EndpointInplay:
		return d.eventsInPlay(q)
	case simInPlayFilter:
		return d.inPlayFilter(q)
	case wire.EndpointView:
		return d.eventView(q)
	case simStatsTrend:
		return d.statsTrend(q)
	}
	return d.prematch(q)
}

// prematch answers bet365/prematch: the fixtures it knows, in the order asked.
// An unknown id is left out (betsapi.md, section 1.2).
func (d *dialect) prematch(q simulator.Question) simulator.Answer {
	ids, wrong := fixtureIDs(q.Query)
	if wrong != nil {
		return *wrong
	}
	b := make([]byte, 0, 1<<20)
	b = append(b, `{"success":1,"results":[`...)
	first := true
	for _, id := range ids {
		body, ok := d.result(q.World, id, q.Now, editionOf(q.Path))
		if !ok {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, body...)
	}
	return simulator.Answer{Body: append(b, "]}"...)}
}

// result returns one fixture's object of bet365/prematch.
func (d *dialect) result(w *simulator.World, id string, now time.Time, e int) ([]byte, bool) {
	f, ok := knownFixture(w, id, now)
	if !ok {
		return nil, false
	}
	v, since := pricesAt(w, f, now)
	key := cacheKey{w, f.Number, v, e}
	if body, ok := d.sheets.get(key); ok {
		return body, true
	}
	body := newRenderer(w, f, v, since, e).render()
	d.sheets.put(key, body)
	return body, true
}

// knownFixture returns the fixture with an id. One in seventy is listed, but the
// endpoint returns nothing for it.
func knownFixture(w *simulator.World, id string, now time.Time) (simulator.Fixture, bool) {
	n, ok := fixtureNumber(w, id)
	if !ok {
		return simulator.Fixture{}, false
	}
	f, ok := w.Fixture(n, now.Truncate(time.Minute))
	return f, ok && f.Lot(70, oddNoResult) != 0
}

// editionOf returns the version of the endpoint: 3 and 4 have different names for
// some sections.
func editionOf(path string) int {
	if path == wire.PathPrematch {
		return 4
	}
	return 3
}

// priceDelay is the time that a price takes from the bookmaker to the provider. It
// keeps every updated_at in the past.
const priceDelay = time.Minute

// pricesAt returns the version of the prices that the provider has now, and when it
// came. Prices stop moving at kick-off.
func pricesAt(w *simulator.World, f simulator.Fixture, now time.Time) (int64, time.Time) {
	if now.After(f.KickOff) {
		now = f.KickOff
	}
	return w.Version(f, now.Add(-priceDelay))
}
