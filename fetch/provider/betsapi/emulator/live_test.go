package emulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
)

// simLiveItem is a record of the events family as it is read here, on its own.
type simLiveItem struct {
	ID         string
	Time       string
	TimeStatus string `json:"time_status"`
	League     struct {
		ID, Name string
		CC       *string
	}
	Home, Away struct{ ID, Name string }
	SS         *string
	Scores     map[string]struct{ Home, Away string }
	Stats      map[string][2]string
	FI         string `json:"bet365_id"`
	Timer      *liveTimer
	Events     []struct{ ID, Text string }
	Updated    string `json:"inplay_updated_at"`
}

type liveTimer struct {
	TM, TS, TA, MD int
	TT             string
}

type simLivePage struct {
	Success int
	Pager   struct {
		Page    int
		PerPage int `json:"per_page"`
		Total   int
	}
	Results []simLiveItem
}

func livePageOf(t testing.TB, body []byte) simLivePage {
	t.Helper()
	var p simLivePage
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&p); err != nil || p.Success != 1 {
		t.Fatalf("%v: %.300s", err, body)
	}
	return p
}

// overHTTP serves a simulator and returns a function that asks it.
func overHTTP(t *testing.T, sim *simulator.Server) func(path string) []byte {
	t.Helper()
	url, _, err := simulator.Listen(t.Context(), sim, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) []byte {
		t.Helper()
		res, err := http.Get(url + path + "&token=" + sim.Tokens()[0])
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-RateLimit-Remaining") == "" {
			t.Fatalf("%s: status %d, %v, %v", path, res.StatusCode, res.Header, err)
		}
		return body
	}
}

const (
	askInPlay = "/v3/events/inplay?sport_id=1"
	askView   = "/v1/event/view?event_id="
)

// moving is a clock that a test sets.
type moving struct{ at time.Time }

func (m *moving) now() time.Time { return m.at }

func faultsOf(t testing.TB, texts ...string) (all []simulator.Fault) {
	t.Helper()
	for _, text := range texts {
		f, err := simulator.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func TestLiveListFilters(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 5, InPlay: 200})
	leagues := make(map[string]int)
	all := livePageOf(t, ask(t, sim, askInPlay).Body.Bytes()).Results
	for _, it := range all {
		leagues[it.League.ID]++
	}
	for league, want := range leagues {
		if got := livePageOf(t, ask(t, sim, askInPlay+"&league_id="+league).Body.Bytes()); len(got.Results) != want {
			t.Errorf("league %s: %d, want %d", league, len(got.Results), want)
		}
	}
	if got := livePageOf(t, ask(t, sim, askInPlay+"&page=2").Body.Bytes()); len(got.Results) != 0 || got.Pager.Total != len(all) {
		t.Errorf("page 2 holds %d of %d", len(got.Results), got.Pager.Total)
	}
	for path, code := range map[string]string{
		"/v3/events/inplay?":                         "PARAM_REQUIRED",
		"/v3/events/inplay?sport_id=1&league_id=x":   "PARAM_INVALID",
		"/v1/event/view?":                            "PARAM_REQUIRED",
		askView + "1,2,3,4,5,6,7,8,9,10,11":          "PARAM_INVALID",
		askView + "x":                                "PARAM_INVALID",
		"/v2/events/inplay?sport_id=1":               "NOT_FOUND",
		"/v3/events/inplay?sport_id=1&token=nobodys": "AUTHORIZE_FAILED",
	} {
		if body := ask(t, sim, path).Body.String(); !strings.Contains(body, code) {
			t.Errorf("%s: %s, want %s", path, body, code)
		}
	}
	for path, want := range map[string]string{askView + "1,12345678901": `{"success":1,"results":[]}`,
		"/v3/events/inplay?sport_id=18": `{"success":1,"pager":{"page":1,"per_page":1000,"total":0},"results":[]}`} {
		if body := ask(t, sim, path).Body.String(); body != want {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// Habits of the recorded clock: md is ahead at half-time, the clock runs past 45
// and 90 and falls back at the whistle, ended matches linger.
func TestLiveClockHabits(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 250, Quota: 1 << 20, Now: clock.now})
	seen := make(map[string]int)
	for range 60 {
		for _, it := range livePageOf(t, ask(t, sim, askInPlay).Body.Bytes()).Results {
			c := it.Timer
			if it.TimeStatus == "3" {
				seen["ended and listed"]++
			}
			if c == nil {
				seen["no timer"]++
				continue
			}
			switch {
			case strings.Contains(it.League.Name, "mins play"):
				seen["eSoccer"]++
			case c.TM == 0 && c.TT == "0" && c.MD == 0 && it.SS == nil:
				seen["opened"]++
			case c.TM == 45 && c.TS == 0 && c.TT == "0" && c.MD == 1:
				seen["half-time"]++
			case c.TM > 45 && c.TM < 52 && c.MD == 0 && c.TT == "1":
				seen["added time of the first half"]++
			case c.TM >= 45 && c.TM < 55 && c.MD == 1 && c.TT == "1" && len(it.Scores) == 2 && it.Scores["1"] == it.Scores["2"]:
				seen["second half or a clock that runs on"]++
			case c.TM >= 90 && c.TT == "1" && c.MD == 1 && c.TA > 0:
				seen["added time"]++
			case c.TM == 90 && c.TS == 0 && c.TT == "0" && c.MD == 1:
				seen["full time"]++
			case c.MD == 2 || c.MD == 3:
				seen["extra time"]++
			case c.MD == 4:
				seen["after extra time"]++
			}
		}
		clock.at = clock.at.Add(3*time.Minute + time.Second)
	}
	for _, habit := range []string{"ended and listed", "no timer", "eSoccer", "opened", "half-time", "added time of the first half",
		"second half or a clock that runs on", "added time", "full time", "extra time", "after extra time"} {
		if seen[habit] == 0 {
			t.Errorf("never seen: %s; seen %v", habit, seen)
		}
	}
}

// Many askers at once make a world's matches together and see the same.
func TestLiveListOfManyAskers(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 60})
	answers := make(chan string, 6)
	for range cap(answers) {
		go func() { answers <- ask(t, sim, askInPlay).Body.String() }()
	}
	first := <-answers
	for range cap(answers) - 1 {
		if <-answers != first {
			t.Error("two askers of one moment got two answers")
		}
	}
}
