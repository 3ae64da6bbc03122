package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
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
	id, sport, title string
	start            time.Time
	bare             json.RawMessage // without bookmakers
	books            []recordedBook
}

type recordedBook struct {
	key     string
	members map[string]json.RawMessage
	markets []json.RawMessage
}

func openReplay(dir string) (*replay, error) {
	r := new(replay)
	err := simulator.ReadRecordings(dir, api.EndpointSports, func(f simulator.Recording) error {
		switch f.Endpoint {
		case "sports":
			return json.Unmarshal(f.Body, &r.sports)
		case "events", "odds":
			var list []json.RawMessage
			if err := json.Unmarshal(f.Body, &list); err != nil {
				return errors.New("is no list of fixtures")
			}
			for _, raw := range list {
				if err := r.load(raw); err != nil {
					return err
				}
			}
		case "event_odds":
			return r.load(f.Body)
		}
		return nil
	})
	if err == nil && len(r.events) == 0 {
		err = fmt.Errorf("replay %s: no fixture; want folders such as odds and events", dir)
	}
	return r, err
}

// load adds the content of an event to the recorded fixture with its id.
func (r *replay) load(raw json.RawMessage) error {
	var e struct {
		ID         string                       `json:"id"`
		Sport      string                       `json:"sport_key"`
		Title      string                       `json:"sport_title"`
		Start      time.Time                    `json:"commence_time"`
		Bookmakers []map[string]json.RawMessage `json:"bookmakers"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.ID == "" || e.Sport == "" {
		return errors.New("holds an event without id, sport or start")
	}
	at := slices.IndexFunc(r.events, func(known *recordedEvent) bool { return known.id == e.ID })
	if at < 0 {
		var members map[string]json.RawMessage
		json.Unmarshal(raw, &members)
		delete(members, api.KeyBookmakers)
		at = len(r.events)
		r.events = append(r.events, &recordedEvent{id: e.ID, sport: e.Sport, title: e.Title, start: e.Start, bare: simulator.JSON(members)})
	}
	for _, members := range e.Bookmakers {
		var b recordedBook
		if json.Unmarshal(members[api.KeyKey], &b.key) != nil || json.Unmarshal(members[api.KeyMarkets], &b.markets) != nil {
			return errors.New("holds a bookmaker without a key or markets")
		}
		delete(members, api.KeyMarkets)
		b.members = members
		r.events[at].books = append(r.events[at].books, b)
	}
	return nil
}

func (r *replay) answer(q simulator.Question) simulator.Answer {
	sport, event := subjects(q.Path)
	items := [][]byte{}
	switch q.Endpoint {
	case api.EndpointSports:
		return simulator.Answer{Items: r.listedSports()}
	case api.EndpointEvents:
		for _, e := range r.events {
			if e.sport == sport {
				items = append(items, e.moved(q.Now))
			}
		}
		return simulator.Answer{Items: items}
	}
	ids := list(q.Query.Get(api.ParamEvents))
	for _, e := range r.events {
		wanted := e.sport == sport && (event == "" && (ids == nil || slices.Contains(ids, e.id)) || event == e.id)
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
		var s sport
		json.Unmarshal(raw, &s)
		met[s.Key] = true
		items = append(items, raw)
	}
	for _, e := range r.events {
		if !met[e.sport] {
			met[e.sport] = true
			items = append(items, simulator.JSON(sport{e.sport, api.GroupSoccer, e.title, e.title, true, false}))
		}
	}
	return items
}

// moved is the fixture as it is listed.
func (e *recordedEvent) moved(now time.Time) []byte {
	return simulator.Replaced(e.bare, api.KeyStart, `"`+simulator.Tomorrow(now, e.start).Format(time.RFC3339)+`"`)
}

// priced is the fixture with the requested bookmakers and markets.
func (e *recordedEvent) priced(q simulator.Question) []byte {
	var members map[string]json.RawMessage
	json.Unmarshal(e.moved(q.Now), &members)
	makers, markets := list(q.Query.Get(api.ParamBookmakers)), list(q.Query.Get(api.ParamMarkets))
	books := []map[string]json.RawMessage{}
	for _, b := range e.books {
		if makers != nil && !slices.Contains(makers, b.key) {
			continue
		}
		kept := []json.RawMessage{}
		for _, raw := range b.markets {
			var m struct{ Key string }
			json.Unmarshal(raw, &m)
			if markets == nil || slices.Contains(markets, m.Key) {
				kept = append(kept, raw)
			}
		}
		if len(kept) == 0 {
			continue
		}
		book := map[string]json.RawMessage{api.KeyMarkets: simulator.JSON(kept)}
		for name, value := range b.members {
			book[name] = value
		}
		books = append(books, book)
	}
	members[api.KeyBookmakers] = simulator.JSON(books)
	return simulator.JSON(members)
}
