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

// listed is a fixture of a list.
type listed struct {
	day  string
	json []byte
}

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

func dayOf(f competition.Fixture) string { return f.KickOff.Format(api.DateForm) }

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

func hasBegun(f competition.Fixture) bool {
	return f.Status == competition.InPlay || f.Status == competition.Ended
}

var fixtureIDs = world.IDs{First: 1_400_000}

// item is a fixture of a list. The last members are only in the details, but the events are
// also in the list of matches in play.
type item struct {
	Fixture fixture `json:"fixture"`
	League  league  `json:"league"`
	Teams   struct {
		Home team `json:"home"`
		Away team `json:"away"`
	} `json:"teams"`
	Goals pair `json:"goals"`
	Score struct {
		Half    pair `json:"halftime"`
		Full    pair `json:"fulltime"`
		Extra   pair `json:"extratime"`
		Penalty pair `json:"penalty"`
	} `json:"score"`
	Events     []any `json:"events,omitzero"`
	Lineups    []any `json:"lineups,omitzero"`
	Statistics []any `json:"statistics,omitzero"`
	Players    []any `json:"players,omitzero"`
}

// reference is the fixture in an answer about odds. It does not say who plays.
type reference struct {
	ID        int64  `json:"id"`
	TimeZone  string `json:"timezone"`
	Date      string `json:"date"`
	Timestamp int64  `json:"timestamp"`
}

const timeForm = "2006-01-02T15:04:05-07:00"

func referenceOf(w *world.World, f competition.Fixture) reference {
	return reference{fixtureIDs.Of(w, f), "UTC", f.KickOff.Format(timeForm), f.KickOff.Unix()}
}

type fixture struct {
	reference
	Referee *string `json:"referee"`
	Periods struct {
		First  *int64 `json:"first"`
		Second *int64 `json:"second"`
	} `json:"periods"`
	Venue struct {
		ID   *int    `json:"id"`
		Name *string `json:"name"`
		City *string `json:"city"`
	} `json:"venue"`
	Status status `json:"status"`
}

type status struct {
	Long    string `json:"long"`
	Short   string `json:"short"`
	Elapsed *int   `json:"elapsed"`
	Extra   *int   `json:"extra"`
}

type league struct {
	ID        int     `json:"id"`
	Name      string  `json:"name"`
	Country   string  `json:"country"`
	Logo      string  `json:"logo"`
	Flag      *string `json:"flag"`
	Season    int     `json:"season"`
	Round     string  `json:"round,omitzero"`
	Standings *bool   `json:"standings,omitzero"`
}

// named is a team in all places that name it.
type named struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Logo string `json:"logo"`
}

type team struct {
	named
	Winner *bool `json:"winner"`
}

type pair struct {
	Home *int `json:"home"`
	Away *int `json:"away"`
}

func pairOf(goals [2]int) pair { return pair{&goals[0], &goals[1]} }

// oddVenue decides whether the id of an unknown venue is null or 0.
const oddVenue = 301

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

func leagueOf(f competition.Fixture) league {
	country, _, _ := strings.Cut(f.League.Name, " ")
	id := 300 + f.League.Number
	return league{ID: id, Name: f.League.Name, Country: country, Season: f.KickOff.Year(), Logo: fmt.Sprintf("https://media.example/leagues/%d.png", id)}
}

func teamOf(t competition.Team) team {
	id := 3000 + t.Number
	return team{named: named{id, t.Name, fmt.Sprintf("https://media.example/teams/%d.png", id)}}
}
