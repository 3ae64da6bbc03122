package emulator

import (
	"fmt"
	"strings"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

func dayOf(f competition.Fixture) string { return f.KickOff.Format(api.DateForm) }

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

func leagueOf(f competition.Fixture) league {
	country, _, _ := strings.Cut(f.League.Name, " ")
	id := 300 + f.League.Number
	return league{ID: id, Name: f.League.Name, Country: country, Season: f.KickOff.Year(), Logo: fmt.Sprintf("https://media.example/leagues/%d.png", id)}
}

func teamOf(t competition.Team) team {
	id := 3000 + t.Number
	return team{named: named{id, t.Name, fmt.Sprintf("https://media.example/teams/%d.png", id)}}
}
