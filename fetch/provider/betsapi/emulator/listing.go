package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

const perPage = 50

// listedItem is one rendered item of a list, with the values by which it is filtered.
type listedItem struct {
	sport   string
	league  string
	day     string // YYYYMMDD, UTC
	skipped bool   // by skip_esports=1
	json    []byte
}

// upcoming answers bet365/upcoming.
func (d *dialect) upcoming(q simulator.Question) simulator.Answer {
	ask, wrong := readListingQuery(q)
	if wrong != nil {
		return *wrong
	}
	return ask.of(d.lists.Get(q.World, q.Now, func(f competition.Fixture, now time.Time) listedItem {
		return listedItem{
			sport:   api.SportFootball,
			league:  leagueID(f.League),
			day:     f.KickOff.Format(api.DayForm),
			skipped: isSkipped(f),
			json:    appendItem(nil, q.World, f, now),
		}
	}))
}

// listingQuery is a request to bet365/upcoming.
type listingQuery struct {
	sport, day, league string
	page, perPage      int
	skipEsports        bool
}

// of returns the requested page of all items.
func (l listingQuery) of(items []listedItem) simulator.Answer {
	wanted := [][]byte{} // never nil: an empty page is an answer as well
	for _, it := range items {
		if l.wants(it) {
			wanted = append(wanted, it.json)
		}
	}
	part, page := simulator.PageOf(wanted, l.page, l.perPage)
	return simulator.Answer{Items: part, Page: &page}
}

func (l listingQuery) wants(it listedItem) bool {
	return l.sport == it.sport &&
		(l.day == "" || l.day == it.day) &&
		(l.league == "" || l.league == it.league) &&
		!(l.skipEsports && it.skipped)
}

// isSkipped reports whether skip_esports=1 leaves a fixture out. Like the provider, it
// knows one name of the games only, and overlooks one fixture in three even so.
func isSkipped(f competition.Fixture) bool {
	return strings.HasPrefix(f.League.Name, "Esoccer ") && f.Lot(3, oddNotSkipped) != 0
}

func readListingQuery(q simulator.Question) (listingQuery, *simulator.Answer) {
	l := listingQuery{sport: q.Query.Get(api.ParamSport), day: q.Query.Get("day"), league: q.Query.Get("league_id"),
		page: 1, perPage: perPage, skipEsports: q.Query.Get(api.ParamNoESport) == "1"}
	if l.sport == "" {
		return l, paramRequired(api.ParamSport)
	}
	if !digitsOnly.MatchString(l.sport) {
		return l, paramInvalid(api.ParamSport)
	}
	if l.league != "" && !digitsOnly.MatchString(l.league) {
		return l, paramInvalid("league_id")
	}
	if _, err := time.Parse(api.DayForm, l.day); l.day != "" && err != nil {
		return l, paramInvalid("day")
	}
	if p := q.Query.Get(api.ParamPage); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > api.MaxPages {
			return l, paramInvalid(api.ParamPage)
		}
		l.page = n
	}
	return l, nil
}

// Oddities of a listing. Each applies to a few fixtures, whenever they are asked for.
// Those that remove a name apply to football only: without its names a game could not be
// recognized.
const (
	oddLeagueNull = iota + 101
	oddAwayAbsent
	oddEventIDNull
	oddRecordIDNull
	oddUnknownField
	oddNormalForm
	oddNearMiss
	oddNotSkipped = 109
)

// leastForDamage is the size of a world from which on the listing has records that cannot be read. In a
// smaller one, two at a time would be more than a cycle accepts.
const leastForDamage = 100

// appendItem renders one fixture as in section 5.1 of betsapi.md.
func appendItem(b []byte, w *world.World, f competition.Fixture, now time.Time) []byte {
	_, since := bookmaker.PricesAt(f, now)
	b = fmt.Appendf(b, `{"id":"%s","sport_id":"1","time":"%d","time_status":"%s"`, fixtureID(w, f), f.KickOff.Unix(), timeStatus(f.Status))
	if w.Size() >= leastForDamage && f.League.Human() && f.Lot(140, oddLeagueNull) == 0 {
		b = append(b, `,"league":null`...)
	} else {
		b = appendNamed(b, "league", leagueID(f.League), f.League.Name)
	}
	b = appendNamed(b, "home", teamID(f.Home), listedName(f, f.Home))
	if !f.League.Human() || f.Lot(190, oddAwayAbsent) != 0 {
		b = appendNamed(b, "away", teamID(f.Away), f.Away.Name)
	}
	score, event, record := "null", "null", "null"
	if f.Status == competition.Ended {
		score = `"` + finalScore(w, f, now) + `"`
	}
	if f.Lot(25, oddEventIDNull) != 0 {
		event = `"` + eventID(f) + `"`
	}
	if f.Lot(3, oddRecordIDNull) != 0 {
		record = `"` + fixtureID(w, f) + `C1A"`
	}
	b = fmt.Appendf(b, `,"ss":%s,"our_event_id":%s,"r_id":%s`, score, event, record)
	if f.Lot(30, oddUnknownField) == 0 {
		b = append(b, `,"neutral_ground":"1","broadcast":{"tv":[],"radio":null}`...)
	}
	return fmt.Appendf(b, `,"updated_at":"%d","odds_updated_at":"%d"}`, since.Add(time.Duration(1+f.Lot(5, 108))*time.Second).Unix(), since.Unix())
}

func appendNamed(b []byte, field, id, name string) []byte {
	return fmt.Appendf(b, `,"%s":{"id":"%s","name":%s}`, field, id, quotedText(name))
}

// listedName is the home side as the listing writes it. A few times the markets write
// another text: another Unicode form, which is the same name, or a
// shorter name, which is not.
func listedName(f competition.Fixture, t competition.Team) string {
	switch {
	case f.Lot(20, oddNormalForm) == 0:
		return norm.NFD.String(t.Name) + " "
	case f.League.Human() && f.Lot(150, oddNearMiss) == 0:
		if short, _, ok := strings.Cut(t.Name, " "); ok {
			return short
		}
	}
	return t.Name
}

var fixtureIDs = world.IDs{First: 171_000_000}

// fixtureID returns the FI of a fixture.
func fixtureID(w *world.World, f competition.Fixture) string {
	return fixtureIDs.FixtureID(w, f)
}

// calendars is how many a world has at most.
const calendars = 4

// eventID returns the id of the live family: another numbering, which is the same in
// all worlds.
func eventID(f competition.Fixture) string {
	place, entry := world.PlaceOf(f.Number)
	return strconv.FormatInt(firstEventID+entry*calendars+int64(place), 10)
}

const firstEventID = 9_800_000

// eventNumber is the way back.
func eventNumber(id int64) (number int64, ok bool) {
	id -= firstEventID
	return world.Number(int(id%calendars), id/calendars), id >= 0
}

func leagueID(l competition.League) string { return strconv.Itoa(10_040_000 + l.Number*37) }

func teamID(t competition.Team) string { return strconv.Itoa(10_400_000 + t.Number*13) }

func timeStatus(s competition.Status) string {
	return [...]string{competition.NotStarted: api.StatusNotStarted, competition.InPlay: api.StatusInPlay, competition.Ended: api.StatusEnded,
		competition.Postponed: api.StatusPostponed, competition.Cancelled: api.StatusCancelled, competition.Withdrawn: api.StatusRemoved}[s]
}

func finalScore(w *world.World, f competition.Fixture, now time.Time) string {
	m := w.Match(f)
	return scoreText(m.Sent(now).Score)
}

func scoreText(goals [2]int) string { return strconv.Itoa(goals[0]) + "-" + strconv.Itoa(goals[1]) }
