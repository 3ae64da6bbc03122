package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
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
	id    string
	state string
	at    time.Time
	json  []byte // without odds
	rows  []json.RawMessage
}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	err := simulator.ReadRecordings(dir, "fixtures_by_date", func(f simulator.Recording) error {
		data := f.Body
		var envelope struct{ Data json.RawMessage }
		if json.Unmarshal(f.Body, &envelope) == nil && envelope.Data != nil {
			data = envelope.Data
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			list = []json.RawMessage{data}
		}
		switch f.Endpoint {
		case "fixtures_by_date", "fixture_by_id_with_odds":
			return r.loadAll(list)
		case "livescores_inplay", "fixture_by_id_with_statistics":
			for _, raw := range list {
				r.inPlay = append(r.inPlay, raw)
			}
			return r.loadAll(list)
		case "odds_prematch_by_fixture":
			return r.loadRows(f.File, list)
		}
		return nil
	})
	if err == nil && len(r.fixtures) == 0 {
		err = fmt.Errorf("replay %s: no fixture; want folders such as fixtures_by_date and fixture_by_id_with_odds", dir)
	}
	return r, err
}

func (r *replay) loadAll(list []json.RawMessage) error {
	for n, raw := range list {
		var members map[string]json.RawMessage
		var f struct {
			ID    json.Number       `json:"id"`
			State json.Number       `json:"state_id"`
			At    string            `json:"starting_at"`
			Odds  []json.RawMessage `json:"odds"`
		}
		if json.Unmarshal(raw, &members) != nil || json.Unmarshal(raw, &f) != nil || f.ID == "" {
			return fmt.Errorf("item %d is no fixture with an id", n+1)
		}
		at, err := time.Parse(api.TimeForm, f.At)
		if err != nil {
			return fmt.Errorf("item %d does not say when it starts", n+1)
		}
		delete(members, api.KeyOdds)
		for _, of := range []string{"comments", "lineups", "timeline", "events", "statistics", "periods", "scores"} { // no part of a list
			delete(members, of)
		}
		bare, err := json.Marshal(members)
		if err != nil {
			return err
		}
		if known := r.find(f.ID.String()); known != nil {
			known.rows = append(known.rows, f.Odds...)
			continue
		}
		r.fixtures = append(r.fixtures, &recordedFixture{f.ID.String(), f.State.String(), at, bare, f.Odds})
	}
	return nil
}

// loadRows adds rows of prices without their fixture, whose id is the last number in the
// name of the file.
func (r *replay) loadRows(file string, rows []json.RawMessage) error {
	words := strings.Split(strings.TrimSuffix(file, path.Ext(file)), "_")
	id := words[len(words)-1]
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return errors.New("the name of the file does not end with the fixture's id")
	}
	if known := r.find(id); known != nil {
		known.rows = append(known.rows, rows...)
		return nil
	}
	at := time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC)
	bare := fmt.Appendf(nil, `{"id":%s,"sport_id":1,"state_id":1,"name":null,"starting_at":"","has_odds":true,"starting_at_timestamp":0,"participants":[]}`, id)
	r.fixtures = append(r.fixtures, &recordedFixture{id, api.StateNotStarted, at, bare, rows})
	return nil
}

func (r *replay) find(id string) *recordedFixture {
	for _, f := range r.fixtures {
		if f.id == id {
			return f
		}
	}
	return nil
}

// listed is the fixture as a list shows it, and when it starts.
func (f *recordedFixture) listed(now time.Time) ([]byte, time.Time) {
	if f.state != api.StateNotStarted && len(f.rows) == 0 {
		return f.json, f.at
	}
	at := simulator.Tomorrow(now, f.at)
	raw := simulator.Replaced(f.json, "state_id", api.StateNotStarted)
	raw = simulator.Replaced(raw, "starting_at", `"`+at.Format(api.TimeForm)+`"`)
	raw = simulator.Replaced(raw, "starting_at_timestamp", strconv.FormatInt(at.Unix(), 10))
	return simulator.Replaced(raw, "has_odds", strconv.FormatBool(len(f.rows) > 0)), at
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
		rows := []json.RawMessage{}
		for _, raw := range f.rows {
			var of struct {
				Maker json.Number `json:"bookmaker_id"`
			}
			if json.Unmarshal(raw, &of) == nil && of.Maker.String() == bookmaker {
				rows = append(rows, raw)
			}
		}
		raw, _ := f.listed(q.Now)
		odds, err := json.Marshal(rows)
		if err != nil {
			continue // all rows were read as JSON
		}
		items = append(items, append(append(append(raw[:len(raw)-1:len(raw)-1], `,"odds":`...), odds...), '}'))
	}
	if len(items) == 0 {
		return dialect{}.nothing(false)
	}
	return simulator.Answer{Items: items}
}
