package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

const livePerPage = 1000

// eventsInPlay answers events/inplay (betsapi.md, sections 5.3 and 8). Both versions
// of the list are the same.
func (d *dialect) eventsInPlay(q simulator.Question) simulator.Answer {
	ask, wrong := readListingQuery(q)
	if wrong != nil {
		return *wrong
	}
	ask.day, ask.perPage = "", livePerPage // not a parameter here
	var items []listedItem
	for _, m := range q.World.Live(q.Now) {
		it := listedItem{sport: api.SportFootball, league: eventLeagueID(m.Fixture.League), skipped: isSkipped(m.Fixture)}
		if ask.wants(it) {
			it.json = appendPlaying(make([]byte, 0, 1<<10), q.World, &m, q.Now)
			items = append(items, it)
		}
	}
	return ask.of(items)
}

// eventView answers event/view: the events it knows, in the order asked.
func (d *dialect) eventView(q simulator.Question) simulator.Answer {
	ids, wrong := idList(q.Query, api.ParamEvents)
	if wrong != nil {
		return *wrong
	}
	results := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if f, ok := knownEvent(q.World, id, q.Now); ok {
			m := q.World.Match(f)
			results = append(results, appendView(make([]byte, 0, 8<<10), q.World, &m, q.Now))
		}
	}
	return simulator.Answer{Items: results}
}

// knownEvent finds the fixture of an event id, as it was when the feed last
// moved.
func knownEvent(w *world.World, id string, now time.Time) (competition.Fixture, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return competition.Fixture{}, false
	}
	number, ok := eventNumber(n)
	if !ok {
		return competition.Fixture{}, false
	}
	return w.Fixture(number, w.FeedTime(now))
}
