package betsapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

var retrieved = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func livePage(body string) provider.Payload {
	return provider.Payload{Number: 1, Endpoint: "events/inplay", FetchedAt: retrieved, Body: []byte(body)}
}

// oneSample reads a list of one item.
func oneSample(t testing.TB, item string) input.Sample {
	t.Helper()
	sheet, err := live.ReadList([]provider.Payload{livePage(`{"success":1,"results":[` + item + `]}`)})
	if err != nil || len(sheet.Samples) != 1 {
		t.Fatalf("%s: %+v, %v", item, sheet, err)
	}
	return sheet.Samples[0]
}

const liveItem = `{"id":"500","sport_id":"1","time":"1732439700","time_status":"1","league":{"id":"9","name":"League","cc":null},
 "home":{"id":"1","name":"Bohemia","image_id":null},"away":{"id":"2","name":"Brno"},"o_away":{"id":"3","name":"Brno II"},"ss":"1-2",
 "bet365_id":"777","timer":{"tm":92,"ts":39,"tt":"1","ta":4,"md":1},"odd":true,
 "stats":{"attacks":["112","92"],"xg":["","0.05"],"redcards":["0","0"],"corner_ot":["155,119,36","1"],"new_metric":["3"],"possession":["1","2"],"saves":"x","fouls":["a","2"]},
 "events":[{"id":"31","text":"45+2' - 8th Corner - Brno"},{"id":"32","text":"23' - 1st Goal - Sterling  (Bohemia) - Shot (Assist: Foden)"}]}`

func TestReadLiveItem(t *testing.T) {
	sheet, err := live.ReadList([]provider.Payload{livePage(`{"success":1,"pager":{"page":1,"per_page":1000,"total":1},"results":[` + liveItem + `]}`)})
	if err != nil {
		t.Fatal(err)
	}
	got := describe(sheet.Samples[0])
	want := `event 500, complete false
777: Bohemia - Brno, League, 2024-11-24T09:15:00Z, in play, 1-2
  half 2, minute 92, second 39, added 4, running true
  attacks 112/92
  corners_et 155/1
  fouls null/2
  new_metric 3/absent
  red_cards 0/0
  saves null/null
  xg null/0.05
  45+2 CORNER AWAY "" id 31
  23+0 GOAL HOME "Sterling - Shot (Assist: Foden)" id 32
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !sheet.Complete {
		t.Error("one page of one is the whole list")
	}
	unknown := slices.Sorted(maps.Keys(sheet.Unknown))
	if want := []string{"item.odd", "stats.new_metric", "stats.possession"}; !slices.Equal(unknown, want) || sheet.Damaged["item: a counter cannot be read"] != 2 {
		t.Errorf("unknown %q, want %q; damaged %v", unknown, want, sheet.Damaged)
	}
}

func describe(s input.Sample) string {
	var b strings.Builder
	providertest.WriteLive(&b, "event "+s.ProviderEventID, provider.LiveSheet{Samples: []input.Sample{s}})
	return b.String()
}

func whole(f football.Field[int]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprint(v)
	}
	return map[football.State]string{football.Missing: "-", football.Null: "_"}[f.State()]
}

func sideText(f football.Field[football.Number]) string {
	if v, ok := f.Get(); ok {
		return v.Text()
	}
	return map[football.State]string{football.Missing: "-", football.Null: "_"}[f.State()]
}

func TestReadLiveClockAndScore(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{`"timer":{"tm":45,"ts":0,"tt":"0","ta":0,"md":1},"ss":"0-0"`, "half 2 45:0 +0 running false 0-0"},
		{`"timer":{"tm":72,"ts":42,"tt":"1"},"ss":null`, "half - 72:42 +- running true _-_"},
		{`"timer":{"tm":"120","ts":"0","tt":0,"md":4},"ss":""`, "half 5 120:0 +- running false _-_"},
		{`"timer":{"tm":null,"ts":99,"tt":"x","md":9},"ss":","`, "half _ _:_ +- running _ _-_"},
		{`"timer":null,"ss":"1:0"`, "half - -:- +- running - _-_"},
		{`"x":1`, "half - -:- +- running - ---"},
		{`"ss":"10-9"`, "half - -:- +- running - 10-9"},
		{`"ss":"201-0"`, "half - -:- +- running - _-_"},
	} {
		s := oneSample(t, `{"id":"5","time_status":"1",`+c.sent+`}`)
		running := map[football.State]string{football.Missing: "-", football.Null: "_"}[s.Clock.Running.State()]
		if v, ok := s.Clock.Running.Get(); ok {
			running = fmt.Sprint(v)
		}
		got := fmt.Sprintf("half %s %s:%s +%s running %s %s-%s", whole(s.Clock.Half), whole(s.Clock.Minute), whole(s.Clock.Second),
			whole(s.Clock.Added), running, whole(s.Score.Home), whole(s.Score.Away))
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sent, got, c.want)
		}
		if s.ProviderFixtureID != "event:5" {
			t.Errorf("no FI: %s", s.ProviderFixtureID)
		}
	}
}

func TestReadEventLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"12' - 1st Corner - Man City", `CORNER 12+0 HOME ""`},
		{"90+4' - 12th Corner - Arsenal", `CORNER 90+4 AWAY ""`},
		{"12' - 1st Corner - Somebody", `CORNER 12+0 NONE "Somebody"`},
		{"41' - 1st Goal -   (Arsenal) -", `GOAL 41+0 AWAY ""`},
		{"23' - 1st Goal - Sterling  (Man City) - Shot (Assist: Foden)", `GOAL 23+0 HOME "Sterling - Shot (Assist: Foden)"`},
		{"14' - 1st Yellow Card - Rodri (Man City)", `YELLOW_CARD 14+0 HOME "Rodri"`},
		{"24' -  Red Card -  (Arsenal)", `RED_CARD 24+0 AWAY ""`},
		{"65' - Substitution - Gundogan for Aguero (Man City)", `SUBSTITUTION 65+0 HOME "Gundogan for Aguero"`},
		{"65' - Substitution - A for B (Man City) (Arsenal)", `SUBSTITUTION 65+0 NONE "A for B (Man City) (Arsenal)"`},
		{"70' - 3rd Corner - Manchester C", `CORNER 70+0 HOME ""`},
		{"28' - Race to 3 Corners - Man City", ""},
		{"2:0 Corners 10:00 - 19:59", ""},
		{"0-0 Goals 00:00 - 09:59", ""},
		{"Score After First Half - 1-0", ""},
		{"1-0: First Half score", ""},
		{"33' - Something New - Arsenal", ""},
		{"45+' - 1st Corner - Arsenal", ""},
		{"45' - 1stCorner - Arsenal", ""},
		{"", ""},
	} {
		item, _ := json.Marshal(map[string]any{"id": "5", "time_status": "1", "home": map[string]string{"name": "Man City"}, "away": map[string]string{"name": "Arsenal"},
			"o_home": map[string]string{"name": "Manchester C"}, "events": []any{map[string]string{"id": "1", "text": c.text}}})
		got := ""
		for _, i := range oneSample(t, string(item)).Incidents.Or(nil) {
			got = fmt.Sprintf("%s %d+%d %s %q", i.Kind, i.Minute, i.Added, i.Side, i.Text)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	for sent, want := range map[string]football.State{`"x":0`: football.Missing, `"events":null`: football.Null, `"events":[]`: football.Present} {
		if got := oneSample(t, `{"id":"5","time_status":"1",`+sent+`}`).Incidents.State(); got != want {
			t.Errorf("%s: %d, want %d", sent, got, want)
		}
	}
}

func TestReadLiveLists(t *testing.T) {
	page := func(n int, items string) provider.Payload {
		return livePage(fmt.Sprintf(`{"success":1,"pager":{"page":%d,"per_page":2,"total":3},"results":[%s]}`, n, items))
	}
	a, b := `{"id":"1","time_status":"1","ss":"0-0"}`, `{"id":"2","time_status":"1","home":{"name":"Leeds (x) Esports"}}`
	later, ended := `{"id":"1","time_status":"1","ss":"1-0"}`, `{"id":"3","time_status":"3"}`
	sheet, err := live.ReadList([]provider.Payload{page(1, a+","+b), page(2, later+","+ended)})
	if err != nil || len(sheet.Samples) != 2 || sheet.Complete {
		t.Fatalf("%+v, %v", sheet, err)
	}
	if sheet.Samples[0].Score.Home.Or(0) != 1 || sheet.Samples[1].Status != input.Over || sheet.Filtered["esports:home-name"] != 1 {
		t.Errorf("%+v", sheet)
	}
	game, people := `{"id":"2","time_status":"1","league":{"name":"Esoccer Battle"}}`, `{"id":"2","time_status":"1","league":{"name":"League"}}`
	for name, pages := range map[string][]provider.Payload{"a game last": {page(1, a+","+people), page(2, game)}, "a game first": {page(1, a+","+game), page(2, people)}} {
		sheet, err := live.ReadList(pages)
		var ids []string
		for _, s := range sheet.Samples {
			ids = append(ids, s.ProviderEventID)
		}
		if got := strings.Join(ids, ","); err != nil || got != "1" || sheet.Broken["an id of two fixtures"] != 1 || sheet.Complete {
			t.Errorf("%s: got %s, broken %v, filtered %v, %v", name, got, sheet.Broken, sheet.Filtered, err)
		}
	}
	if whole, err := live.ReadList([]provider.Payload{page(1, a+","+b), page(2, ended)}); err != nil || !whole.Complete {
		t.Errorf("as many as the pager says: %+v, %v", whole, err)
	}
	for name, pages := range map[string][]provider.Payload{
		"a page is missing":  {page(1, a+","+b)},
		"a page is empty":    {page(1, a+","+b), page(2, "")},
		"one hides another":  {page(1, a+","+b), page(2, later)},
		"one is filtered":    {page(1, a+","+b), page(2, b)},
		"one too many":       {page(1, a+","+b), page(2, ended+`,{"id":"4","time_status":"1"}`)},
		"totals differ":      {page(1, a+","+b), livePage(`{"success":1,"pager":{"page":2,"per_page":2,"total":4},"results":[` + ended + `]}`)},
		"there is no pager":  {livePage(`{"success":1,"results":[` + a + `]}`)},
		"an item is broken":  {page(1, a+","+b), page(2, `{"time_status":"1"},`+ended)},
		"a status is new":    {page(1, a+","+b), page(2, `{"id":"4","time_status":"77"},`+ended)},
		"no page was there":  nil,
		"the pager is bogus": {livePage(`{"success":1,"pager":{"page":"x"},"results":[` + a + `]}`)},
	} {
		if sheet, err := live.ReadList(pages); err != nil || sheet.Complete {
			t.Errorf("%s: complete %v, %v", name, sheet.Complete, err)
		}
	}
	for _, body := range []string{``, `{}`, `{"success":0,"error":"X"}`, `{"success":1,"results":{}}`, `{"success":1,"results":[{"x":1},{"y":2}]}`, `{"success":1,"results":[]`} {
		if _, err := live.ReadList([]provider.Payload{livePage(body)}); err == nil {
			t.Errorf("%s was read", body)
		}
	}
	empty, err := live.ReadList([]provider.Payload{livePage(`{"success":1,"pager":{"page":1,"per_page":1000,"total":0},"results":[]}`)})
	if err != nil || !empty.Complete || len(empty.Samples) != 0 {
		t.Errorf("nothing in play: %+v, %v", empty, err)
	}
}

// The content announced by an answer takes no memory until it is read.
func TestManyThingsThatAreNoItems(t *testing.T) {
	body := fmt.Sprintf(`{"success":1,"results":[%s0]}`, strings.Repeat("0,", 400_000))
	pages := []provider.Payload{livePage(body)}
	live.ReadList(pages) // makes the buffers
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	live.ReadList(pages)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("an answer of %d bytes took %d MiB", len(body), took>>20)
	}
}
