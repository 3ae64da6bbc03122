package transform_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// onlySportmonks is a list of providers with one.
func onlySportmonks(name string) (provider.Provider, bool) {
	return sportmonks.Provider(), name == sportmonks.Name
}

// TestSportmonksRun: a cycle of that provider becomes fixtures and markets, and one
// that was not offered anything has none.
func TestSportmonksRun(t *testing.T) {
	read := func(name string) []byte {
		body, err := os.ReadFile("../fetch/provider/sportmonks/testdata/read/" + name + ".json")
		must(t, err)
		return body
	}
	w := world{
		pages: []provider.Payload{{Endpoint: "fixtures/between", Query: url.Values{"page": {"1"}}, FetchedAt: began, Body: read("listing")}},
		sheets: []provider.Payload{{Endpoint: "fixtures/multi", Query: url.Values{"filters": {"bookmakers:2"}},
			FetchedAt: began.Add(time.Second), Body: read("multi")}},
		edit: func(c *raw.Cycle) { c.Provider, c.NotOffered = sportmonks.Name, []string{"9007"} },
	}
	mem := w.mem(t)
	o := options(mem, mem)
	o.Provider = onlySportmonks
	s, err := transform.Run(context.Background(), o)
	if err != nil || s.Broken != 0 || s.Fixtures == 0 || s.Mapped == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	markets := map[string]int{}
	for _, m := range rows[table.MarketRow](t, mem, layout.MarketsFile) {
		if m.Market != nil {
			markets[*m.Market] += len(m.Selections)
		}
	}
	for market, want := range map[string]int{"MATCH_RESULT": 3, "ASIAN_HANDICAP": 4, "HANDICAP_RESULT": 3, "GOALSCORER_ANYTIME": 1, "GOALSCORER_FIRST": 1, "TEAM_TO_SCORE": 2, "BOTH_TEAMS_TO_SCORE": 0} {
		if markets[market] != want {
			t.Errorf("%s has %d selections, want %d", market, markets[market], want)
		}
	}
}

// TestSportmonksUnreadable: an answer that cannot be read is that of the fixtures that
// its path names.
func TestSportmonksUnreadable(t *testing.T) {
	body, err := os.ReadFile("../fetch/provider/sportmonks/testdata/read/listing.json")
	must(t, err)
	mem := newMem()
	out, err := raw.Create(mem, cycleID, nil)
	must(t, err)
	for _, r := range []struct{ endpoint, path, body string }{
		{"fixtures/between", "/v3/football/fixtures/between/2026-11-20/2026-12-04", string(body)},
		{"fixtures/multi", "/v3/football/fixtures/multi/9001,9002", `{"data":`},
		{"fixtures/multi", "/v3/football/fixtures/multi/9006", `{"data":[{"id":9006,"odds":[]}]}`},
	} {
		_, err := out.Add(raw.Response{Endpoint: r.endpoint, Path: r.path, Query: url.Values{}, Attempt: 1, Status: 200, FetchedAt: began}, []byte(r.body))
		must(t, err)
	}
	_, err = out.Seal(raw.Cycle{ClientID: "acme", Product: football.MarketEngine, Provider: sportmonks.Name, StartedAt: began,
		FinishedAt: began.Add(time.Minute), Outcome: raw.Complete, ListingComplete: true})
	must(t, err)
	o := options(mem, mem)
	o.Provider = onlySportmonks
	if _, err := transform.Run(context.Background(), o); !errors.Is(err, transform.ErrQuarantined) {
		t.Errorf("two of three fixtures cannot be read: %v", err)
	}
}

// TestSportmonksLive: a match of that provider is followed, and has momentum.
func TestSportmonksLive(t *testing.T) {
	mem := newMem()
	var id layout.CycleID
	for n := range 40 {
		at := began.Add(time.Duration(n) * time.Minute)
		id = layout.NewCycleID(at, string(football.LiveIntelligence))
		body := fmt.Sprintf(`{"data":[{"id":77,"sport_id":1,"state_id":2,"participants":[{"id":1,"name":"Crau","meta":{"location":"home"}},{"id":2,"name":"Alpilles","meta":{"location":"away"}}],
			"league":{"name":"National"},"scores":[{"score":{"goals":0,"participant":"home"},"description":"CURRENT"},{"score":{"goals":0,"participant":"away"},"description":"CURRENT"}],
			"periods":[{"type_id":1,"ticking":true,"sort_order":1,"minutes":%d,"seconds":0,"time_added":null}],
			"statistics":[{"type_id":43,"location":"home","data":{"value":%d}},{"type_id":43,"location":"away","data":{"value":%d}},{"type_id":44,"location":"home","data":{"value":%d}},{"type_id":44,"location":"away","data":{"value":3}}],
			"events":[{"id":5,"type_id":19,"participant_id":2,"minute":3,"player_name":"Luc Morel","rescinded":false}]}]}`, n+1, 3*n, n, 2*n)
		out, err := raw.Create(mem, id, nil)
		must(t, err)
		_, err = out.Add(raw.Response{Endpoint: "livescores/inplay", Path: "/v3/football/livescores/inplay", Query: url.Values{"page": {"1"}}, Attempt: 1, Status: 200, FetchedAt: at}, []byte(body))
		must(t, err)
		_, err = out.Seal(raw.Cycle{ClientID: "acme", Product: football.LiveIntelligence, Provider: sportmonks.Name, StartedAt: at, FinishedAt: at.Add(time.Second), Outcome: raw.Complete, ListingComplete: true})
		must(t, err)
		o := options(mem, mem)
		o.Product, o.Cycle, o.Provider = football.LiveIntelligence, id, onlySportmonks
		o.Now = func() time.Time { return at.Add(2 * time.Second) }
		if s, err := transform.Run(context.Background(), o); err != nil || s.Fixtures != 1 || s.Live.Sampled != 1 {
			t.Fatalf("minute %d: %v, %+v", n, err, s)
		}
	}
	for _, row := range rowsOf[table.LiveRow](t, mem, id, layout.LiveFile) {
		got := strings.Join([]string{word(row.ClockPeriod), word(row.ClockMinute), word(row.ScoreHome), word(row.MomentumLeader), word(row.UnavailableReason)}, " ")
		if got != "1H 40 0 HOME -" {
			t.Errorf("%s", got)
		}
	}
	cards := 0
	for _, e := range rowsOf[table.LiveTimelineRow](t, mem, id, layout.LiveTimelineFile) {
		if e.State == "CARD" {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("%d cards in the timeline", cards)
	}
}
