package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
)

var simNoon = time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)

func simClock() time.Time { return simNoon }

// simulated starts a simulator for a test, its clock standing at noon unless
// the options say otherwise.
func simulated(t testing.TB, o simulator.Options) *simulator.Server {
	t.Helper()
	if o.Now == nil {
		o.Now = simClock
	}
	sim, err := emulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// ask puts a question in memory, with the simulator's first token unless the
// path has one.
func ask(t testing.TB, sim *simulator.Server, path string) *httptest.ResponseRecorder {
	t.Helper()
	if !strings.Contains(path, "token=") {
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		path += sep + "token=" + sim.Tokens()[0]
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

type simPage struct {
	Success int
	Pager   struct {
		Page    int
		PerPage int `json:"per_page"`
		Total   int
	}
	Results []simItem
}

type simItem struct {
	ID         string
	Time       string
	TimeStatus string `json:"time_status"`
	League     *struct{ ID, Name string }
	Home, Away *struct{ ID, Name string }
	SS         *string
	EventID    *string `json:"our_event_id"`
	RID        *string `json:"r_id"`
}

func listingPage(t testing.TB, sim *simulator.Server, query string) simPage {
	t.Helper()
	w := ask(t, sim, "/v1/bet365/upcoming?"+query)
	var p simPage
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Success != 1 {
		t.Fatalf("%s: %v: %.200s", query, err, w.Body.Bytes())
	}
	return p
}

// wholeListing reads all pages.
func wholeListing(t testing.TB, sim *simulator.Server, query string) []simItem {
	t.Helper()
	var all []simItem
	for n := 1; ; n++ {
		p := listingPage(t, sim, fmt.Sprintf("%s&page=%d", query, n))
		all = append(all, p.Results...)
		if n*p.Pager.PerPage >= p.Pager.Total {
			return all
		}
	}
}

func TestSimulatedPager(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 230})
	all := wholeListing(t, sim, "sport_id=1")
	if len(all) < 225 || len(all) > 250 {
		t.Fatalf("%d listed of 230", len(all))
	}
	seen := make(map[string]bool)
	for _, it := range all {
		if seen[it.ID] {
			t.Errorf("%s is on two pages", it.ID)
		}
		seen[it.ID] = true
	}
	first, beyond := listingPage(t, sim, "sport_id=1"), listingPage(t, sim, "sport_id=1&page=90")
	if first.Pager.Page != 1 || first.Pager.PerPage != 50 || len(first.Results) != 50 || first.Pager.Total != len(all) {
		t.Errorf("first page: %+v with %d", first.Pager, len(first.Results))
	}
	if len(beyond.Results) != 0 || beyond.Pager.Total != len(all) {
		t.Errorf("a page beyond the last: %+v with %d", beyond.Pager, len(beyond.Results))
	}
	if other := listingPage(t, sim, "sport_id=18"); other.Pager.Total != 0 {
		t.Errorf("another sport lists %d", other.Pager.Total)
	}
}

func TestSimulatedListingFilters(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 300})
	all := wholeListing(t, sim, "sport_id=1")
	days, leagues := make(map[string]int), make(map[string]int)
	for _, it := range all {
		var seconds int64
		fmt.Sscan(it.Time, &seconds)
		days[time.Unix(seconds, 0).UTC().Format("20060102")]++
		if it.League != nil {
			leagues[it.League.ID]++
		}
	}
	if len(days) < 4 || len(leagues) < 30 {
		t.Errorf("%d days, %d leagues", len(days), len(leagues))
	}
	for day, want := range days {
		if got := len(wholeListing(t, sim, "sport_id=1&day="+day)); got != want {
			t.Errorf("day %s: %d, want %d", day, got, want)
		}
	}
	for league, want := range leagues {
		if got := len(wholeListing(t, sim, "sport_id=1&league_id="+league)); got < want {
			t.Errorf("league %s: %d, want %d", league, got, want)
		}
	}
}

func TestSimulatedEnvelopes(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 20, Tokens: map[string]simulator.Account{
		"good-token-0001": {}, "poor-token-0001": {Quota: 2}, "none-token-0001": {Denied: true},
	}})
	for _, c := range []struct{ method, path, code, detail string }{
		{"GET", "/v1/bet365/upcoming?sport_id=1", "AUTHORIZE_FAILED", ""},
		{"GET", "/v1/bet365/upcoming?sport_id=1&token=wrong", "AUTHORIZE_FAILED", ""},
		{"GET", "/v1/bet365/upcoming?sport_id=1&token=none-token-0001", "PERMISSION_DENIED", ""},
		{"GET", "/v1/bet365/upcoming?token=good-token-0001", "PARAM_REQUIRED", "sport_id"},
		{"GET", "/v1/bet365/upcoming?token=good-token-0001&sport_id=x", "PARAM_INVALID", "sport_id"},
		{"GET", "/v1/bet365/upcoming?token=good-token-0001&sport_id=1&page=0", "PARAM_INVALID", "page"},
		{"GET", "/v1/bet365/upcoming?token=good-token-0001&sport_id=1&page=101", "PARAM_INVALID", "page"},
		{"GET", "/v1/bet365/upcoming?token=good-token-0001&sport_id=1&day=2026-03-04", "PARAM_INVALID", "day"},
		{"GET", "/v4/bet365/prematch?token=good-token-0001", "PARAM_REQUIRED", "FI"},
		{"GET", "/v4/bet365/prematch?token=good-token-0001&FI=abc", "PARAM_INVALID", "FI"},
		{"GET", "/v4/bet365/prematch?token=good-token-0001&FI=1,2,3,4,5,6,7,8,9,10,11", "PARAM_INVALID", "FI"},
		{"GET", "/v9/bet365/prematch?token=good-token-0001", "NOT_FOUND", ""},
		{"POST", "/v1/bet365/upcoming?token=good-token-0001&sport_id=1", "METHOD_NOT_ALLOWED", ""},
	} {
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		var e struct {
			Success int
			Error   string
			Detail  string `json:"error_detail"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Success != 0 || e.Error != c.code || e.Detail != c.detail {
			t.Errorf("%s %s: %s, want %s %s", c.method, c.path, w.Body, c.code, c.detail)
		}
	}
	r := httptest.NewRequest("GET", "/v1/bet365/upcoming?sport_id=1", nil)
	r.Header.Set("X-API-TOKEN", "good-token-0001")
	w := httptest.NewRecorder()
	if sim.ServeHTTP(w, r); !strings.HasPrefix(w.Body.String(), `{"success":1,`) {
		t.Errorf("token in the header: %.100s", w.Body)
	}
	if got := ask(t, sim, "/v4/bet365/prematch?FI=1&token=good-token-0001").Body.String(); got != `{"success":1,"results":[]}` {
		t.Errorf("unknown fixture: %s", got)
	}
}

func TestSimulatedAccountsSeeTheirOwnWorlds(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 60, Tokens: map[string]simulator.Account{
		"one-token-00001": {}, "two-token-00002": {}, "twin-token-0003": {Seed: 9, Fixtures: 10}, "twin-token-0004": {Seed: 9, Fixtures: 10},
	}})
	lists := make(map[string]map[string]bool)
	for _, token := range sim.Tokens() {
		lists[token] = make(map[string]bool)
		for _, it := range wholeListing(t, sim, "sport_id=1&token="+token) {
			lists[token][it.ID] = true
		}
	}
	shared := 0
	for id := range lists["one-token-00001"] {
		if lists["two-token-00002"][id] {
			shared++
		}
		body := ask(t, sim, "/v4/bet365/prematch?FI="+id+"&token=two-token-00002").Body.String()
		if body != `{"success":1,"results":[]}` && !lists["two-token-00002"][id] {
			t.Fatalf("%s of another account: %.120s", id, body)
		}
	}
	if shared > 0 {
		t.Errorf("two accounts share %d ids", shared)
	}
	if fmt.Sprint(lists["twin-token-0003"]) != fmt.Sprint(lists["twin-token-0004"]) {
		t.Error("two accounts of one seed see two worlds")
	}
}

func TestSimulatorRefusesOptions(t *testing.T) {
	for want, o := range map[string]simulator.Options{
		"fixtures": {Fixtures: -1},
		"speed":    {Speed: -2},
		"quota":    {Quota: -1},
		"replay":   {Replay: t.TempDir()},
	} {
		if _, err := emulator.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// The same seed suffers the same faults at the same requests; aimed ones hit
// their target, numbered ones once.
func TestFaultsAreRepeatable(t *testing.T) {
	run := func() (hits []int) {
		var faults []simulator.Fault
		for _, text := range []string{"500:0.2@listing", "429-body:#4@markets"} {
			f, err := simulator.ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, f)
		}
		sim := simulated(t, simulator.Options{Seed: 5, Fixtures: 10, Faults: faults})
		for i := range 200 {
			if ask(t, sim, "/v1/bet365/upcoming?sport_id=1").Code == 500 {
				hits = append(hits, i)
			}
			limited := strings.Contains(ask(t, sim, "/v4/bet365/prematch?FI=1").Body.String(), "TOO_MANY")
			if limited != (i == 3) {
				t.Errorf("markets request %d: limited %v", i+1, limited)
			}
		}
		return hits
	}
	first := run()
	if len(first) < 20 || len(first) > 60 || fmt.Sprint(first) != fmt.Sprint(run()) {
		t.Errorf("hits %v", first)
	}
}
