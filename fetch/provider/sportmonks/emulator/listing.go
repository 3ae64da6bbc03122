package emulator

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

const (
	perPage    = 25
	maxPerPage = 50
)

// fixture is one fixture as the provider writes it, with the members that includes add.
type fixture struct {
	ID           int64         `json:"id"`
	Sport        int           `json:"sport_id"`
	LeagueID     int           `json:"league_id"`
	Season       int           `json:"season_id"`
	Stage        int           `json:"stage_id"`
	Group        *int          `json:"group_id"`
	Aggregate    *int          `json:"aggregate_id"`
	Round        *int          `json:"round_id"`
	State        json.Number   `json:"state_id"`
	Venue        *int          `json:"venue_id"`
	Name         string        `json:"name"`
	StartingAt   string        `json:"starting_at"`
	Result       *string       `json:"result_info"`
	Leg          string        `json:"leg"`
	Details      *string       `json:"details"`
	Length       int           `json:"length"`
	Placeholder  bool          `json:"placeholder"`
	HasOdds      bool          `json:"has_odds"`
	HasPremium   bool          `json:"has_premium_odds"`
	Stamp        int64         `json:"starting_at_timestamp"`
	Participants []participant `json:"participants,omitempty"`
	League       *league       `json:"league,omitempty"`
	*playing
	Odds *[]row `json:"odds,omitempty"`
}

type participant struct {
	ID    int    `json:"id"`
	Sport int    `json:"sport_id"`
	Name  string `json:"name"`
	Meta  struct {
		Location string `json:"location"`
		Winner   *bool  `json:"winner"`
		Position *int   `json:"position"`
	} `json:"meta"`
}

type league struct {
	ID      int    `json:"id"`
	Sport   int    `json:"sport_id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	SubType string `json:"sub_type"`
}

// bare returns a fixture without includes.
func bare(w *world.World, f competition.Fixture, state string, hasOdds bool) fixture {
	return fixture{ID: fixtureIDs.Of(w, f), Sport: 1, LeagueID: leagueID(f), Season: 25_000 + f.League.Number, Stage: 77_470_000 + f.League.Number,
		State: json.Number(state), Name: f.Home.Name + " vs " + f.Away.Name, StartingAt: f.KickOff.Format(api.TimeForm), Leg: "1/1",
		Length: f.League.Minutes, HasOdds: hasOdds, HasPremium: hasOdds, Stamp: f.KickOff.Unix()}
}

// named adds the includes participants and league. The order of the participants means
// nothing.
func (x fixture) named(f competition.Fixture) fixture {
	x.Participants = []participant{team(f.Home, api.SideHome), team(f.Away, api.SideAway)}
	if f.Lot(2, oddAwayFirst) == 0 {
		x.Participants[0], x.Participants[1] = x.Participants[1], x.Participants[0]
	}
	x.League = &league{leagueID(f), 1, f.League.Name, "league", "domestic"}
	return x
}

func team(t competition.Team, location string) participant {
	p := participant{ID: teamID(t), Sport: 1, Name: t.Name}
	p.Meta.Location = location
	return p
}

func leagueID(f competition.Fixture) int { return 500 + f.League.Number }

func teamID(t competition.Team) int { return 2_000 + t.Number }

// states are the states of fixtures out of play.
var states = [...]string{competition.NotStarted: api.StateNotStarted, competition.InPlay: api.StateFirstHalf, competition.Ended: api.StateFullTime,
	competition.Postponed: api.StatePostponed, competition.Cancelled: api.StateCancelled, competition.Withdrawn: api.StateDeleted}

// fixtures answers a request for the fixtures of some days. The provider has no eSoccer.
func (d dialect) fixtures(q simulator.Question, from, to string) simulator.Answer {
	for _, day := range []string{from, to} {
		if _, err := time.Parse(api.DayForm, day); err != nil {
			return wrongParameter("date")
		}
	}
	if include := q.Query.Get(api.ParamInclude); include != "" && include != api.IncludeListing {
		return wrongParameter(api.ParamInclude)
	}
	number, ok := count(q.Query.Get(api.ParamPage), 1, api.MaxPages)
	size, okSize := count(q.Query.Get(api.ParamPerPage), perPage, maxPerPage)
	if !ok || !okSize {
		return wrongParameter(api.ParamPage)
	}
	var wanted [][]byte
	for _, it := range d.lists.Get(q.World, q.Now, listed(q.World)) {
		if it.json != nil && it.day >= from && it.day <= to {
			wanted = append(wanted, it.json)
		}
	}
	items, page := simulator.PageOf(wanted, number, size)
	if len(items) == 0 {
		return d.nothing(true)
	}
	return simulator.Answer{Items: items, Page: &page}
}

func listed(w *world.World) func(competition.Fixture, time.Time) listedItem {
	return func(f competition.Fixture, now time.Time) listedItem {
		if !f.League.Human() {
			return listedItem{}
		}
		o, ok := w.Offering(f.Number, now)
		hasOdds := ok && len(sold(o)) > 0
		return listedItem{f.KickOff.Format(api.DayForm), simulator.JSON(bare(w, f, states[f.Status], hasOdds).named(f))}
	}
}

// count reads a number from 1 to most; it returns usual for an empty text.
func count(text string, usual, most int) (int, bool) {
	if text == "" {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= most
}

// prices answers fixtures/multi: the existing fixtures, each with the prices of the
// bookmaker in the filter. Only bet365 has prices.
func (d dialect) prices(q simulator.Question) simulator.Answer {
	if include := q.Query.Get(api.ParamInclude); include != api.IncludeOdds {
		return wrongParameter(api.ParamInclude)
	}
	maker, ok := strings.CutPrefix(q.Query.Get(api.ParamFilters), api.FilterBookmakers+":")
	if !ok {
		return wrongParameter(api.ParamFilters)
	}
	var items [][]byte
	for id := range strings.SplitSeq(strings.TrimPrefix(q.Path, api.PathMulti), ",") {
		number, ok := fixtureIDs.FixtureNumber(q.World, id)
		if !ok {
			continue
		}
		f, ok := q.World.Fixture(number, q.Now)
		if !ok || !f.League.Human() {
			continue
		}
		version, _ := bookmaker.PricesAt(f, q.Now)
		key := pricesKey{q.World, number, version, f.Status, f.KickOff.Unix(), maker == api.Bet365}
		items = append(items, d.rendered.Get(key, func() []byte { return priced(q.World, f, q.Now, key.odds) }))
	}
	if len(items) == 0 {
		return d.nothing(false)
	}
	return simulator.Answer{Items: items}
}

func priced(w *world.World, f competition.Fixture, now time.Time, odds bool) []byte {
	rows := []row{}
	o, ok := w.Offering(f.Number, now)
	if ok && odds {
		for _, m := range sold(o) {
			for _, r := range m.rows(o) {
				rows = append(rows, r.row)
			}
		}
	}
	x := bare(w, f, states[f.Status], ok && len(sold(o)) > 0)
	x.Odds = &rows
	return simulator.JSON(x)
}
