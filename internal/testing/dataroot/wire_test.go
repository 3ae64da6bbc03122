package dataroot_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// wire describes a provider's format for these tests, independently of its adapter.
type wire struct {
	provider string
	class    func(r *http.Request) string // of a request: list, markets, live, or "" for any other
	list     string                       // the member that holds the items of an answer; "" if the answer is the list
	playing  string                       // the same of an answer about matches in play, if it is another
	listed   []string                     // the path to the fixture's id in an item of the list
	offered  []string                     // the same in an answer about markets
	home     func(item map[string]any) (object map[string]any, key string)
	away     func(item map[string]any) (object map[string]any, key string)
	starts   []string // the members that hold the kick-off
	prices   []string // the members of a row that hold the price
	labels   []string // the members that identify a row; none if any member is read
	markets  string   // the member that holds a fixture's markets
	single   []string // members that say the sport, and another sport
	states   []string // the members that hold the state
}

var wires = []wire{
	{provider: "betsapi", class: byEnding("/bet365/upcoming", "/bet365/prematch", "/events/inplay"), list: "results", listed: []string{"id"}, offered: []string{"FI"},
		home: in("home", "name"), away: in("away", "name"), starts: []string{"time"}, prices: []string{"odds"}, markets: "sp", single: []string{"sport_id", "18"}, states: []string{"time_status"}},
	{provider: "sportmonks", class: classOfSportmonks, list: "data", listed: []string{"id"}, offered: []string{"id"}, home: participant("home"), away: participant("away"),
		starts: []string{"starting_at", "starting_at_timestamp"}, prices: []string{"dp3", "value"}, labels: []string{"label"}, markets: "odds", single: []string{"sport_id", "2"}, states: []string{"state_id"}},
	{provider: "apifootball", class: classOfAPIFootball, list: "response", listed: []string{"fixture", "id"}, offered: []string{"fixture", "id"},
		home: in("teams", "home", "name"), away: in("teams", "away", "name"), starts: []string{"timestamp"}, prices: []string{"odd"}, labels: []string{"value"}, markets: "bets", states: []string{"short"}},
	{provider: "theoddsapi", class: byEnding("/events", "/odds", "\x00"), listed: []string{"id"}, offered: []string{"id"}, home: in("home_team"), away: in("away_team"),
		starts: []string{"commence_time"}, prices: []string{"price"}, labels: []string{"name"}, markets: "outcomes", single: []string{"sport_key", "basketball_nba"}},
	{provider: "feed:simulated", class: byEnding("/feed/v1/fixtures", "/feed/v1/markets", "/feed/v1/live"), list: "fixtures", playing: "matches", listed: []string{"id"}, offered: []string{"id"},
		home: in("home"), away: in("away"), starts: []string{"starts_at"}, prices: []string{"decimal"}, labels: []string{"labels"}, markets: "markets", states: []string{"status"}},
}

func byEnding(list, markets, live string) func(r *http.Request) string {
	return func(r *http.Request) string {
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, list):
			return "list"
		case strings.HasSuffix(path, markets):
			return "markets"
		case strings.HasSuffix(path, live):
			return "live"
		}
		return ""
	}
}

func classOfSportmonks(r *http.Request) string {
	switch path := r.URL.Path; {
	case strings.Contains(path, "/fixtures/between/"):
		return "list"
	case strings.Contains(path, "/fixtures/multi/"):
		return "markets"
	case strings.HasSuffix(path, "/livescores/inplay"):
		return "live"
	}
	return ""
}

func classOfAPIFootball(r *http.Request) string {
	switch q := r.URL.Query(); {
	case q.Has("live"):
		return "live"
	case r.URL.Path == "/odds":
		return "markets"
	case r.URL.Path == "/fixtures" && !q.Has("ids"):
		return "list"
	}
	return ""
}

// in finds a member of an item by its path.
func in(path ...string) func(map[string]any) (map[string]any, string) {
	return func(item map[string]any) (map[string]any, string) { return at(item, path) }
}

func at(item map[string]any, path []string) (object map[string]any, key string) {
	for _, key := range path[:len(path)-1] {
		item, _ = item[key].(map[string]any)
	}
	return item, path[len(path)-1]
}

func participant(side string) func(map[string]any) (map[string]any, string) {
	return func(item map[string]any) (map[string]any, string) {
		list, _ := item["participants"].([]any)
		for _, p := range list {
			if p := p.(map[string]any); p["meta"].(map[string]any)["location"] == side {
				return p, "name"
			}
		}
		return map[string]any{}, "name"
	}
}

// answer is one of the provider's answers, to be changed.
type answer struct {
	*wire
	class  string
	number int    // of its class in the cycle, from 1
	body   any    // as parsed
	raw    []byte // is sent in place of body, if it is not nil
}

// items returns the fixtures of the answer.
func (a *answer) items() (items []map[string]any) {
	list := a.body
	if a.list != "" {
		list = a.body.(map[string]any)[a.member()]
	}
	if single, ok := list.(map[string]any); ok {
		return append(items, single)
	}
	all, _ := list.([]any)
	for _, item := range all {
		if object, ok := item.(map[string]any); ok {
			items = append(items, object)
		}
	}
	return items
}

// member is the member that holds the fixtures.
func (a *answer) member() string {
	if a.class == "live" && a.playing != "" {
		return a.playing
	}
	return a.list
}

// set replaces the fixtures, and the numbers that the provider states of them.
func (a *answer) set(items ...map[string]any) {
	list := make([]any, len(items))
	for i := range items {
		list[i] = items[i]
	}
	envelope, enveloped := a.body.(map[string]any)
	if a.list == "" {
		if a.body = list; enveloped && len(items) == 1 {
			a.body = items[0]
		}
		return
	}
	before := len(a.items())
	envelope[a.member()] = list
	for _, total := range []string{"results", "count"} {
		if _, has := envelope[total].(json.Number); has {
			envelope[total] = len(list)
		}
	}
	if p, has := envelope["pagination"].(map[string]any); has {
		p["count"] = len(list)
	}
	if p, has := envelope["pager"].(map[string]any); has {
		total, _ := p["total"].(json.Number).Int64()
		p["total"] = int(total) + len(list) - before
	}
}

// id returns the fixture's id in an item, and setID replaces it by that of another item.
func (a *answer) id(item map[string]any) any {
	object, key := at(item, a.path())
	return object[key]
}

func (a *answer) setID(item map[string]any, id any) {
	object, key := at(item, a.path())
	object[key] = id
	each(item, func(o map[string]any) {
		if _, has := o["fixture_id"]; has {
			o["fixture_id"] = id
		}
	})
}

func (a *answer) path() []string {
	if a.class == "list" {
		return a.listed
	}
	return a.offered
}

// each visits every object of a value, the inner ones first.
func each(v any, visit func(object map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			each(x, visit)
		}
	case map[string]any:
		for _, x := range v {
			each(x, visit)
		}
		visit(v)
	}
}

// price replaces every price.
func (a *answer) price(price any) {
	each(a.body, func(o map[string]any) {
		for _, key := range a.prices {
			switch o[key].(type) {
			case string, json.Number:
				o[key] = price
			}
		}
	})
}

// rename gives members another name, in the items alone.
func (a *answer) rename(names ...string) {
	for _, item := range a.items() {
		each(item, func(o map[string]any) {
			for _, name := range names {
				if v, has := o[name]; has {
					o[name+"_v2"] = v
					delete(o, name)
				}
			}
		})
	}
}

// starting replaces every kick-off.
func (a *answer) starting(at any) {
	each(a.body, func(o map[string]any) {
		for _, key := range a.starts {
			if _, has := o[key]; has {
				o[key] = at
			}
		}
	})
}

// bookmaker gives every price of the markets to another bookmaker, or adds one beside.
func (a *answer) bookmaker(beside bool) {
	each(a.body, func(o map[string]any) {
		for _, member := range []string{"bookmakers", "odds"} {
			list, _ := o[member].([]any)
			if len(list) == 0 || member == "odds" && list[0].(map[string]any)["bookmaker_id"] == nil {
				continue
			}
			others := clone(list)
			for _, other := range others {
				other := other.(map[string]any)
				for key, id := range map[string]any{"bookmaker_id": 35, "id": 11, "key": "unibet"} {
					if _, has := other[key]; has && (member == "bookmakers" || key == "bookmaker_id") {
						other[key] = id
					}
				}
			}
			if beside {
				others = append(others, list...)
			}
			o[member] = others
		}
	})
}

func clone[T any](v T) (c T) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		panic(err)
	}
	return c
}

// changed passes a provider's answers on, changed.
type changed struct {
	testing.TB
	wire     *wire
	provider http.Handler
	request  func(*http.Request) // changes a request before the provider gets it; nil: none
	change   func(*answer)       // nil: none
	numbers  map[string]int
}

func (c *changed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	class := c.wire.class(r)
	if c.request != nil {
		c.request(r)
	}
	if c.change == nil {
		c.provider.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	recorded := httptest.NewRecorder()
	c.provider.ServeHTTP(recorded, r)
	a := &answer{wire: c.wire, class: class, raw: recorded.Body.Bytes()}
	d := json.NewDecoder(recorded.Body)
	d.UseNumber()
	if class != "" && d.Decode(&a.body) == nil && recorded.Code == http.StatusOK {
		c.numbers[class]++
		a.number, a.raw = c.numbers[class], nil
		if c.change(a); a.raw == nil {
			a.raw, _ = json.Marshal(a.body)
		}
	}
	for name := range recorded.Header() {
		w.Header().Set(name, recorded.Header().Get(name))
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(recorded.Code)
	w.Write(a.raw)
}
