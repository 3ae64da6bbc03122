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

const (
	livePerPage = 1000
)

// eventsInPlay answers events/inplay (betsapi.md, sections 5.3 and 8).
func (d *dialect) eventsInPlay(q simulator.Question) simulator.Answer {
	return inPlayList(q, eventLeagueID, func(b []byte, m *simulator.Match) []byte {
		return appendPlaying(b, q.World, m, q.Now)
	})
}

// inPlayFilter answers bet365/inplay_filter (section 5.2).
func (d *dialect) inPlayFilter(q simulator.Question) simulator.Answer {
	return inPlayList(q, leagueID, func(b []byte, m *simulator.Match) []byte {
		return appendFiltered(b, q.World, m, q.Now)
	})
}

// inPlayList answers a list of matches in play.
func inPlayList(q simulator.Question, league func(simulator.League) string, write func([]byte, *simulator.Match) []byte) simulator.Answer {
	ask, wrong := readListingQuery(q)
	if wrong != nil {
		return *wrong
	}
	ask.day, ask.perPage = "", livePerPage // not a parameter here
	matches := q.World.Live(q.Now)
	items := make([]listedItem, 0, len(matches))
	b := make([]byte, 0, 1000*len(matches))
	for i := range matches {
		m := &matches[i]
		it := listedItem{sport: wire.SportFootball, league: league(m.Fixture.League), skipped: isSkipped(m.Fixture)}
		if ask.wants(it) {
			from := len(b)
			b = write(b, m)
			it.json = b[from:len(b):len(b)]
			items = append(items, it)
		}
	}
	return simulator.Answer{Body: ask.of(items)}
}

// eventView answers event/view: the events it knows, in the order asked.
func (d *dialect) eventView(q simulator.Question) simulator.Answer {
	ids, wrong := idList(q.Query, wire.ParamEvents)
	if wrong != nil {
		return *wrong
	}
	b := append(make([]byte, 0, 64<<10), `{"success":1,"results":[`...)
	first := true
	for _, id := range ids {
		f, ok := knownEvent(q.World, id, q.Now)
		if !ok {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		m := q.World.Match(f)
		b = appendView(b, q.World, &m, q.Now)
	}
	return simulator.Answer{Body: append(b, "]}"...)}
}

// statsTrend answers event/stats_trend. An event that nobody knows has the
// empty map as PHP writes it.
func (d *dialect) statsTrend(q simulator.Question) simulator.Answer {
	id := q.Query.Get(wire.ParamEvents)
	if id == "" {
		return *paramRequired(wire.ParamEvents)
	}
	if !digitsOnly.MatchString(id) {
		return *paramInvalid(wire.ParamEvents)
	}
	b := []byte(`{"success":1,"results":`)
	if f, ok := knownEvent(q.World, id, q.Now); ok {
		m := q.World.Match(f)
		b = appendTrend(b, &m, q.Now)
	} else {
		b = append(b, "[]"...)
	}
	return simulator.Answer{Body: append(b, '}')}
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
