package emulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/recording"
)

// replay serves recorded answers: a folder with the folders fixtures_by_date,
// livescores_inplay, fixture_by_id_with_odds, fixture_by_id_with_statistics and
// odds_prematch_by_fixture, each with .json files of whole answers, or of their data.
//
// A fixture that has not begun, or whose prices are recorded, is listed for tomorrow,
// at its own time of day, as one still to be played. The others keep their days.
// A fixture known by its rows alone has no names. The rows of the requested bookmaker
// are as they were recorded. The list of matches in play has the recorded items of
// livescores_inplay and fixture_by_id_with_statistics.
type replay struct {
	fixtures []*recordedFixture
	inPlay   [][]byte
}

type recordedFixture struct {
	recording.Item // without odds
	state          string
	rows           []json.RawMessage
}

// recordedFolders are the folders of recordings. Those of prices alone have rows for items.
var recordedFolders = map[string]recording.Fields{"fixtures_by_date": recordedFields, "fixture_by_id_with_odds": recordedFields, "livescores_inplay": recordedFields,
	"fixture_by_id_with_statistics": recordedFields, "odds_prematch_by_fixture": {List: "data", ID: "fixture_id"}}

var recordedFields = recording.Fields{List: "data", ID: "id", Time: "starting_at", Form: api.TimeForm}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	all, err := recording.ReadItems(dir, "fixtures_by_date", recordedFolders)
	for _, i := range all {
		known, rows, state := r.find(i.ID), []json.RawMessage{}, recording.Text(i.JSON, "state_id")
		switch i.Endpoint {
		case "odds_prematch_by_fixture":
			rows, state = []json.RawMessage{i.JSON}, api.StateNotStarted
			i.Start = time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC)
			i.JSON = fmt.Appendf(nil, `{"id":%s,"sport_id":1,"state_id":1,"name":null,"starting_at":"","has_odds":true,"starting_at_timestamp":0,"participants":[]}`, i.ID)
		case "livescores_inplay", "fixture_by_id_with_statistics":
			r.inPlay = append(r.inPlay, i.JSON)
			fallthrough
		default:
			var members map[string]json.RawMessage
			json.Unmarshal(i.JSON, &members)
			json.Unmarshal(members[api.KeyOdds], &rows)
			for _, of := range []string{api.KeyOdds, "comments", "lineups", "timeline", "events", "statistics", "periods", "scores"} { // no part of a list
				delete(members, of)
			}
			i.JSON = simulator.JSON(members)
		}
		if known == nil {
			known = &recordedFixture{Item: i, state: state}
			r.fixtures = append(r.fixtures, known)
		}
		known.rows = append(known.rows, rows...)
	}
	return r, err
}

func (r *replay) find(id string) *recordedFixture {
	for _, f := range r.fixtures {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// listed is the fixture as a list shows it, and when it starts.
func (f *recordedFixture) listed(now time.Time) ([]byte, time.Time) {
	if f.state != api.StateNotStarted && len(f.rows) == 0 {
		return f.JSON, f.Start
	}
	at := recording.Tomorrow(now, f.Start)
	raw := recording.Replaced(f.JSON, "state_id", api.StateNotStarted)
	raw = recording.Replaced(raw, "starting_at", `"`+at.Format(api.TimeForm)+`"`)
	raw = recording.Replaced(raw, "starting_at_timestamp", strconv.FormatInt(at.Unix(), 10))
	return recording.Replaced(raw, "has_odds", strconv.FormatBool(len(f.rows) > 0)), at
}

func (r *replay) answer(q simulator.Question) simulator.Answer {
	found := dialect{}
	switch q.Endpoint {
	case api.EndpointBetween, api.EndpointByDate:
		from, to, between := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(q.Path, api.PathBetween), api.PathByDate), "/")
		if !between {
			to = from
		}
		number, ok := count(q.Query.Get(api.ParamPage), 1, api.MaxPages)
		size, okSize := count(q.Query.Get(api.ParamPerPage), perPage, maxPerPage)
		if !ok || !okSize {
			return wrongParameter(api.ParamPage)
		}
		var wanted [][]byte
		for _, f := range r.fixtures {
			raw, at := f.listed(q.Now)
			if day := at.Format(api.DayForm); day >= from && day <= to {
				wanted = append(wanted, raw)
			}
		}
		items, page := simulator.PageOf(wanted, number, size)
		if len(items) == 0 {
			return found.nothing(true)
		}
		return simulator.Answer{Items: items, Page: &page}
	case api.EndpointMulti:
		return r.prices(q)
	}
	if len(r.inPlay) == 0 {
		return found.nothing(true)
	}
	return simulator.Answer{Items: slices.Clone(r.inPlay)}
}

// prices are the requested fixtures, with the rows of the bookmaker in the filter.
func (r *replay) prices(q simulator.Question) simulator.Answer {
	bookmaker, ok := strings.CutPrefix(q.Query.Get(api.ParamFilters), api.FilterBookmakers+":")
	if !ok {
		return wrongParameter(api.ParamFilters)
	}
	var items [][]byte
	for id := range strings.SplitSeq(strings.TrimPrefix(q.Path, api.PathMulti), ",") {
		f := r.find(id)
		if f == nil {
			continue
		}
		rows := recording.Only(simulator.JSON(f.rows), "bookmaker_id", func(maker string) bool { return maker == bookmaker })
		raw, _ := f.listed(q.Now)
		items = append(items, append(append(append(raw[:len(raw)-1:len(raw)-1], `,"odds":`...), simulator.JSON(rows)...), '}'))
	}
	if len(items) == 0 {
		return dialect{}.nothing(false)
	}
	return simulator.Answer{Items: items}
}
