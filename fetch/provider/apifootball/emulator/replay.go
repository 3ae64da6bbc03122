package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/recording"
)

// replay serves recorded answers: a folder with the folders fixtures, fixtures_by_ids and
// odds, each with .json files of whole answers.
//
// A recorded fixture that has not begun is listed for tomorrow, at its own time of day. So
// is one known by its odds alone, without its unknown names.
// The others keep their days. The odds of the requested bookmaker, the list of matches in
// play and the details are as they were recorded.
type replay struct{ fixtures, odds []recording.Item }

// recordedFolders are the folders of recordings.
var recordedFolders = map[string]recording.Fields{"fixtures": recordedFields, "fixtures_by_ids": recordedFields, "odds": recordedFields}

var recordedFields = recording.Fields{List: "response", ID: "fixture.id", Time: "fixture.timestamp"}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	all, err := recording.ReadItems(dir, api.EndpointFixtures, recordedFolders)
	for _, i := range all {
		if i.Endpoint == "odds" {
			r.odds = append(r.odds, i)
			continue
		}
		r.fixtures = append(r.fixtures, i)
	}
	for _, o := range r.odds {
		if r.find(o.ID) == nil {
			o.JSON = itemOf(o)
			r.fixtures = append(r.fixtures, o)
		}
	}
	return r, err
}

func (r *replay) find(id string) *recording.Item {
	at := slices.IndexFunc(r.fixtures, func(f recording.Item) bool { return f.ID == id })
	if at < 0 {
		return nil
	}
	return &r.fixtures[at]
}

// itemOf is the fixture of odds that no list has: the odds name no teams.
func itemOf(o recording.Item) json.RawMessage {
	league := cmp.Or(string(recording.Member(o.JSON, "league")), "null")
	teams := `{"home":{"id":null,"logo":null,"winner":null},"away":{"id":null,"logo":null,"winner":null}}`
	return fmt.Appendf(nil, `{"fixture":{"id":%s,"timezone":"UTC","date":%s,"timestamp":%d,"status":%s},"league":%s,"teams":%s,"goals":{"home":null,"away":null}}`,
		o.ID, simulator.JSON(o.Start.Format(timeForm)), o.Start.Unix(), simulator.JSON(status{Long: longStatus[api.StatusNotStarted], Short: api.StatusNotStarted}), league, teams)
}

func statusOf(f recording.Item) string { return recording.Text(f.JSON, "fixture.status.short") }

// listedAt is when a fixture is listed.
func listedAt(f recording.Item, now time.Time) time.Time {
	if s := statusOf(f); s == api.StatusNotStarted || s == api.StatusToBeFixed {
		return recording.Tomorrow(now, f.Start)
	}
	return f.Start
}

// dated is a recorded item of another day.
func dated(raw []byte, at time.Time) []byte {
	raw = recording.Replaced(raw, "date", string(simulator.JSON(at.Format(timeForm))))
	return recording.Replaced(raw, "timestamp", strconv.FormatInt(at.Unix(), 10))
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
			if at := listedAt(f, q.Now); at.Format(api.DateForm) == q.Query.Get(api.ParamDate) {
				items = append(items, dated(f.JSON, at))
			}
		}
	case api.EndpointLive:
		for _, f := range r.fixtures {
			if isPlaying[statusOf(f)] {
				items = append(items, f.JSON)
			}
		}
	case api.EndpointDetails:
		for id := range strings.SplitSeq(q.Query.Get(api.ParamIDs), api.IDSeparator) {
			for _, f := range r.fixtures {
				if f.ID == id {
					items = append(items, f.JSON)
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
	maker := q.Query.Get(api.ParamBookmaker)
	for _, o := range r.odds {
		listed := listedAt(*r.find(o.ID), q.Now)
		books := recording.Only(recording.Member(o.JSON, "bookmakers"), "id", func(id string) bool { return maker == "" || maker == id })
		if listed.Format(api.DateForm) != q.Query.Get(api.ParamDate) || len(books) == 0 {
			continue
		}
		var members map[string]json.RawMessage
		json.Unmarshal(dated(o.JSON, listed), &members)
		members["bookmakers"] = simulator.JSON(books)
		items = append(items, simulator.JSON(members))
	}
	return items
}
