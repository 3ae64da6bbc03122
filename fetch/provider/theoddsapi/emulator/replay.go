package emulator

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/recording"
)

// replay serves recorded answers: a folder with the folders events, odds, event_odds and
// sports, each with .json files of whole answers.
//
// Every recorded fixture is listed for tomorrow, at its own time of day, because the
// provider's prices are those of fixtures still to begin. The requested markets of the
// requested bookmakers are as they were recorded, whichever form of odds is asked for. A
// request costs one credit.
type replay struct {
	sports []json.RawMessage
	events []*recordedEvent
}

type recordedEvent struct {
	recording.Item                   // without bookmakers
	books          []json.RawMessage // of all recordings of the event
}

// recordedFolders are the folders of recordings.
var recordedFolders = map[string]recording.Fields{"sports": {ID: api.KeyKey}, "events": recordedFields, "odds": recordedFields, "event_odds": recordedFields}

var recordedFields = recording.Fields{ID: "id", Time: api.KeyStart}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	all, err := recording.ReadItems(dir, api.EndpointSports, recordedFolders)
	for _, i := range all {
		if i.Endpoint == "sports" {
			r.sports = append(r.sports, i.JSON)
			continue
		}
		books := recording.Only(recording.Member(i.JSON, api.KeyBookmakers), api.KeyKey, func(string) bool { return true })
		at := slices.IndexFunc(r.events, func(known *recordedEvent) bool { return known.ID == i.ID })
		if at < 0 {
			var members map[string]json.RawMessage
			json.Unmarshal(i.JSON, &members)
			delete(members, api.KeyBookmakers)
			i.JSON = simulator.JSON(members)
			at = len(r.events)
			r.events = append(r.events, &recordedEvent{Item: i})
		}
		r.events[at].books = append(r.events[at].books, books...)
	}
	return r, err
}

func (e *recordedEvent) sport() string { return recording.Text(e.JSON, "sport_key") }

func (r *replay) answer(q simulator.Question) simulator.Answer {
	sport, event := subjects(q.Path)
	items := [][]byte{}
	switch q.Endpoint {
	case api.EndpointSports:
		return simulator.Answer{Items: r.listedSports()}
	case api.EndpointEvents:
		for _, e := range r.events {
			if e.sport() == sport {
				items = append(items, e.moved(q.Now))
			}
		}
		return simulator.Answer{Items: items}
	}
	ids := list(q.Query.Get(api.ParamEvents))
	for _, e := range r.events {
		wanted := e.sport() == sport && (event == "" && (ids == nil || slices.Contains(ids, e.ID)) || event == e.ID)
		if wanted {
			items = append(items, e.priced(q))
		}
	}
	if q.Endpoint != api.EndpointEventOdds {
		return simulator.Answer{Items: items}
	}
	if len(items) == 0 {
		return refusal(http.StatusNotFound, api.ErrEventNotFound, "Event not found. The event may have expired or the event id is invalid")
	}
	return simulator.Answer{Items: items, Body: items[0]}
}

// listedSports are the recorded competitions, and those of fixtures that no recorded list
// has.
func (r *replay) listedSports() (items [][]byte) {
	met := make(map[string]bool)
	for _, raw := range r.sports {
		met[recording.Text(raw, api.KeyKey)] = true
		items = append(items, raw)
	}
	for _, e := range r.events {
		if key := e.sport(); !met[key] {
			met[key] = true
			title := recording.Text(e.JSON, "sport_title")
			items = append(items, simulator.JSON(sport{key, api.GroupSoccer, title, title, true, false}))
		}
	}
	return items
}

// moved is the fixture as it is listed.
func (e *recordedEvent) moved(now time.Time) []byte {
	return recording.Replaced(e.JSON, api.KeyStart, `"`+recording.Tomorrow(now, e.Start).Format(time.RFC3339)+`"`)
}

// priced is the fixture with the requested bookmakers and markets.
func (e *recordedEvent) priced(q simulator.Question) []byte {
	var members map[string]json.RawMessage
	json.Unmarshal(e.moved(q.Now), &members)
	makers, markets := list(q.Query.Get(api.ParamBookmakers)), list(q.Query.Get(api.ParamMarkets))
	books := []map[string]json.RawMessage{}
	for _, raw := range e.books {
		kept := recording.Only(recording.Member(raw, api.KeyMarkets), api.KeyKey, func(key string) bool { return markets == nil || slices.Contains(markets, key) })
		if makers != nil && !slices.Contains(makers, recording.Text(raw, api.KeyKey)) || len(kept) == 0 {
			continue
		}
		var book map[string]json.RawMessage
		json.Unmarshal(raw, &book)
		book[api.KeyMarkets] = simulator.JSON(kept)
		books = append(books, book)
	}
	members[api.KeyBookmakers] = simulator.JSON(books)
	return simulator.JSON(members)
}
