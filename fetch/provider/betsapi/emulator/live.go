package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/fetch/simulator"
)

// Endpoints of the live feed that the simulator serves, by path. Both versions
// of the in-play list give the same.
const (
	simInPlayFilter = "bet365/inplay_filter"
	simStatsTrend   = "event/stats_trend"
)

const livePerPage = 1000

// eventsInPlay answers events/inplay (betsapi.md, sections 5.3 and 8).
func (d *dialect) eventsInPlay(q simulator.Question) simulator.Answer {
	return inPlayList(q, eventLeagueID, func(m *simulator.Match) []byte {
		return appendPlaying(nil, q.World, m, q.Now)
	})
}

// inPlayFilter answers bet365/inplay_filter (section 5.2).
func (d *dialect) inPlayFilter(q simulator.Question) simulator.Answer {
	return inPlayList(q, leagueID, func(m *simulator.Match) []byte {
		return appendFiltered(nil, q.World, m, q.Now)
	})
}

// inPlayList answers a list of matches in play.
func inPlayList(q simulator.Question, league func(simulator.League) string, write func(*simulator.Match) []byte) simulator.Answer {
	ask, wrong := readListingQuery(q)
	if wrong != nil {
		return *wrong
	}
	ask.day, ask.perPage = "", livePerPage // not a parameter here
	matches := q.World.Live(q.Now)
	items := make([]listedItem, 0, len(matches))
	for i := range matches {
		m := &matches[i]
		it := listedItem{sport: wire.SportFootball, league: league(m.Fixture.League), skipped: isSkipped(m.Fixture)}
		if ask.wants(it) {
			it.json = write(m)
			items = append(items, it)
		}
	}
	return ask.of(items)
}

// eventView answers event/view: the events it knows, in the order asked.
func (d *dialect) eventView(q simulator.Question) simulator.Answer {
	ids, wrong := idList(q.Query, wire.ParamEvents)
	if wrong != nil {
		return *wrong
	}
	results := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if f, ok := knownEvent(q.World, id, q.Now); ok {
			m := q.World.Match(f)
			results = append(results, appendView(nil, q.World, &m, q.Now))
		}
	}
	return simulator.Answer{Items: results}
}

// statsTrend answers event/stats_trend. An event that is unknown or has no series yet
// has the empty map as PHP writes it.
func (d *dialect) statsTrend(q simulator.Question) simulator.Answer {
	id := q.Query.Get(wire.ParamEvents)
	if id == "" {
		return *paramRequired(wire.ParamEvents)
	}
	if !digitsOnly.MatchString(id) {
		return *paramInvalid(wire.ParamEvents)
	}
	if f, ok := knownEvent(q.World, id, q.Now); ok {
		m := q.World.Match(f)
		if b := appendTrend([]byte(`{"success":1,"results":`), &m, q.Now); b[len(b)-1] != ']' {
			return simulator.Answer{Body: append(b, '}')}
		}
	}
	return simulator.Answer{Items: [][]byte{}}
}

// knownEvent finds the fixture of an event id, as it was when the feed last
// moved.
func knownEvent(w *simulator.World, id string, now time.Time) (simulator.Fixture, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return simulator.Fixture{}, false
	}
	number, ok := eventNumber(n)
	if !ok {
		return simulator.Fixture{}, false
	}
	return w.Fixture(number, w.FeedTime(now))
}
