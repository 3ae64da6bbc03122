package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
)

// replay serves recorded answers: a folder with the folders fixtures, fixtures_by_ids and
// odds, each with .json files of whole answers.
//
// A recorded fixture that has not begun is listed for tomorrow, at its own time of day. So
// is one known by its odds alone, without its unknown names.
// The others keep their days. The odds of the requested bookmaker, the list of matches in
// play and the details are as they were recorded.
type replay struct {
	fixtures []recordedFixture
	odds     []recordedOdds
}

type recordedFixture struct {
	id      int64
	status  string
	kickOff time.Time
	json    json.RawMessage
}

type recordedOdds struct {
	id    int64
	at    time.Time
	json  json.RawMessage
	books []recordedBook
}

type recordedBook struct {
	id   int
	json json.RawMessage
}

// recordedItem has the members read of an item of a list, or of odds.
type recordedItem struct {
	Fixture struct {
		ID     int64  `json:"id"`
		Stamp  int64  `json:"timestamp"`
		Status status `json:"status"`
	} `json:"fixture"`
	League     json.RawMessage   `json:"league"`
	Bookmakers []json.RawMessage `json:"bookmakers"`
}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	err := simulator.ReadRecordings(dir, api.EndpointFixtures, func(f simulator.Recording) error {
		var envelope struct{ Response []json.RawMessage }
		isOdds := f.Endpoint == "odds"
		if f.Endpoint != "fixtures" && f.Endpoint != "fixtures_by_ids" && !isOdds {
			return nil
		}
		if err := json.Unmarshal(f.Body, &envelope); err != nil {
			return errors.New("holds no response")
		}
		for n, raw := range envelope.Response {
			var i recordedItem
			if err := json.Unmarshal(raw, &i); err != nil || i.Fixture.ID == 0 {
				return fmt.Errorf("item %d has no fixture with an id", n+1)
			}
			if isOdds {
				r.loadOdds(i, raw)
				continue
			}
			r.fixtures = append(r.fixtures, recordedFixture{i.Fixture.ID, i.Fixture.Status.Short, time.Unix(i.Fixture.Stamp, 0).UTC(), raw})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(r.fixtures)+len(r.odds) == 0 {
		return nil, fmt.Errorf("replay %s: no fixture; want folders such as fixtures and odds", dir)
	}
	for _, o := range r.odds {
		if !slices.ContainsFunc(r.fixtures, func(f recordedFixture) bool { return f.id == o.id }) {
			r.fixtures = append(r.fixtures, recordedFixture{o.id, api.StatusNotStarted, o.at, o.item()})
		}
	}
	return r, nil
}

func (r *replay) loadOdds(i recordedItem, raw json.RawMessage) {
	o := recordedOdds{id: i.Fixture.ID, at: time.Unix(i.Fixture.Stamp, 0).UTC(), json: raw}
	for _, b := range i.Bookmakers {
		var maker struct{ ID int }
		json.Unmarshal(b, &maker)
		o.books = append(o.books, recordedBook{maker.ID, b})
	}
	r.odds = append(r.odds, o)
}

// item is the fixture of odds that no list has: the odds name no teams.
func (o recordedOdds) item() json.RawMessage {
	var i recordedItem
	json.Unmarshal(o.json, &i)
	teams := `{"home":{"id":null,"logo":null,"winner":null},"away":{"id":null,"logo":null,"winner":null}}`
	return fmt.Appendf(nil, `{"fixture":{"id":%d,"timezone":"UTC","date":%s,"timestamp":%d,"status":%s},"league":%s,"teams":%s,"goals":{"home":null,"away":null}}`,
		o.id, simulator.JSON(o.at.Format(timeForm)), o.at.Unix(), simulator.JSON(status{Long: longStatus[api.StatusNotStarted], Short: api.StatusNotStarted}), i.League, teams)
}

// listedAt is when a fixture is listed.
func (f recordedFixture) listedAt(now time.Time) time.Time {
	if f.status == api.StatusNotStarted || f.status == api.StatusToBeFixed {
		return simulator.Tomorrow(now, f.kickOff)
	}
	return f.kickOff
}

// dated is a recorded item of another day.
func dated(raw []byte, at time.Time) []byte {
	raw = simulator.Replaced(raw, "date", string(simulator.JSON(at.Format(timeForm))))
	return simulator.Replaced(raw, "timestamp", strconv.FormatInt(at.Unix(), 10))
}

func (r *replay) answer(q simulator.Question) simulator.Answer {
	get, _, _ := strings.Cut(q.Endpoint, "/")
	if key, text := wrong(q); key != "" {
		return refused(get, q.Query, key, text)
	}
	items := [][]byte{}
	switch q.Endpoint {
	case api.EndpointStatus:
		return accountStatus(get)
	case api.EndpointFixtures:
		for _, f := range r.fixtures {
			if at := f.listedAt(q.Now); at.Format(api.DateForm) == q.Query.Get(api.ParamDate) {
				items = append(items, dated(f.json, at))
			}
		}
	case api.EndpointLive:
		for _, f := range r.fixtures {
			if isPlaying[f.status] {
				items = append(items, f.json)
			}
		}
	case api.EndpointDetails:
		for id := range strings.SplitSeq(q.Query.Get(api.ParamIDs), api.IDSeparator) {
			for _, f := range r.fixtures {
				if strconv.FormatInt(f.id, 10) == id {
					items = append(items, f.json)
				}
			}
		}
	default:
		items = r.oddsOf(q)
	}
	number, _ := strconv.Atoi(q.Query.Get(api.ParamPage))
	page := simulator.Page{Number: 1, Size: max(1, len(items)), Total: len(items)}
	if q.Endpoint == api.EndpointOdds {
		items, page = simulator.PageOf(items, max(1, number), perPage)
	}
	page.Asked = repeated(get, q.Query)
	return simulator.Answer{Items: items, Page: &page}
}

// isPlaying are the states of a match in play.
var isPlaying = map[string]bool{api.StatusFirstHalf: true, api.StatusHalfTime: true, api.StatusSecondHalf: true, api.StatusExtraTime: true,
	api.StatusBreak: true, api.StatusShootout: true, api.StatusSuspended: true, api.StatusInterrupted: true, api.StatusLive: true}

// oddsOf are the recorded odds of the requested bookmaker and day.
func (r *replay) oddsOf(q simulator.Question) [][]byte {
	items := [][]byte{}
	for _, o := range r.odds {
		at := slices.IndexFunc(r.fixtures, func(f recordedFixture) bool { return f.id == o.id })
		listed := r.fixtures[at].listedAt(q.Now)
		if listed.Format(api.DateForm) != q.Query.Get(api.ParamDate) {
			continue
		}
		books := []json.RawMessage{}
		for _, b := range o.books {
			if maker := q.Query.Get(api.ParamBookmaker); maker == "" || maker == strconv.Itoa(b.id) {
				books = append(books, b.json)
			}
		}
		if len(books) == 0 {
			continue
		}
		var members map[string]json.RawMessage
		json.Unmarshal(dated(o.json, listed), &members)
		members["bookmakers"] = simulator.JSON(books)
		items = append(items, simulator.JSON(members))
	}
	return items
}
