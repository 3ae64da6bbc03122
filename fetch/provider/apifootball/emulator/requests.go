package emulator

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

// Listed implements meant.Lister: the matches in play stay in the list of their day.
// The provider has no eSoccer.
func (*dialect) Listed(w *world.World, now time.Time) []competition.Fixture { return w.Football(now) }

// day answers a request for the list of a day.
func (d *dialect) day(q simulator.Question) [][]byte {
	all := d.lists.Get(q.World, q.Now, func(f competition.Fixture, now time.Time) listed {
		return listed{dayOf(f), simulator.JSON(newItem(q.World, f, now))}
	})
	items := [][]byte{} // never nil: a day without fixtures is an answer as well
	for _, l := range all {
		if l.day == q.Query.Get(api.ParamDate) {
			items = append(items, l.json)
		}
	}
	return items
}

// renewed is how often the provider renews the matches in play, and their statistics.
const (
	renewed      = 15 * time.Second
	renewedStats = time.Minute
)

// playing answers a request for the matches in play, with their events. A match that is
// over is not among them.
func playing(q simulator.Question) [][]byte {
	now := q.Now.Truncate(renewed)
	items := [][]byte{}
	for _, m := range q.World.Live(now) {
		if sent := m.Sent(now); m.Fixture.League.Human() && sent.Begun && sent.Status != competition.Ended {
			i := newItem(q.World, m.Fixture, now)
			i.Events = events(m, sent)
			items = append(items, simulator.JSON(i))
		}
	}
	return items
}

// details answers for some fixtures, with everything known of them. An unknown id is left
// out.
func details(q simulator.Question) [][]byte {
	now := q.Now.Truncate(renewed)
	items := [][]byte{}
	for id := range strings.SplitSeq(q.Query.Get(api.ParamIDs), api.IDSeparator) {
		n, ok := fixtureIDs.FixtureNumber(q.World, id)
		if !ok {
			continue
		}
		f, ok := q.World.Fixture(n, now)
		if !ok || !f.League.Human() {
			continue
		}
		i := newItem(q.World, f, now)
		none := []any{}
		i.Events, i.Lineups, i.Players, i.Statistics = none, none, none, none
		if hasBegun(f) {
			m := q.World.Match(f)
			i.Events = events(m, m.Sent(now))
			i.Statistics = statistics(m, m.Sent(q.Now.Truncate(renewedStats)))
		}
		items = append(items, simulator.JSON(i))
	}
	return items
}

func newItem(w *world.World, f competition.Fixture, now time.Time) (i item) {
	i.Fixture.reference = referenceOf(w, f)
	if f.Lot(2, oddVenue) == 0 {
		i.Fixture.Venue.ID = new(int)
	}
	i.League = leagueOf(f)
	standings := f.League.Kind != competition.Cup
	i.League.Round, i.League.Standings = fmt.Sprint("Regular Season - ", 1+f.Number%34), &standings
	i.Teams.Home, i.Teams.Away = teamOf(f.Home), teamOf(f.Away)
	i.Fixture.Status.Short = map[competition.Status]string{competition.Postponed: api.StatusPostponed, competition.Cancelled: api.StatusCancelled,
		competition.Withdrawn: api.StatusWalkover}[f.Status]
	if hasBegun(f) {
		m := w.Match(f)
		i.play(m, m.Sent(now))
	}
	i.Fixture.Status.Short = cmp.Or(i.Fixture.Status.Short, api.StatusNotStarted)
	i.Fixture.Status.Long = longStatus[i.Fixture.Status.Short]
	return i
}
