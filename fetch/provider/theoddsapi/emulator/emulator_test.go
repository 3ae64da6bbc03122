package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

func emulated(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	o.Seed, o.Now = 2, func() time.Time { return providertest.Noon }
	sim, err := emulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// get asks with the key of the only account, if the path has none.
func get(sim *simulator.Server, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if q := r.URL.Query(); !q.Has("apiKey") {
		q.Set("apiKey", sim.Tokens()[0])
		r.URL.RawQuery = q.Encode()
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w
}

func read[T any](t *testing.T, w *httptest.ResponseRecorder) (v T) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %.200s: %v", w.Code, w.Body, err)
	}
	return v
}

type event struct {
	ID         string
	Sport      string `json:"sport_key"`
	Start      string `json:"commence_time"`
	Home       string `json:"home_team"`
	Away       string `json:"away_team"`
	Bookmakers []struct {
		Key     string
		Updated any `json:"last_update"`
		Markets []struct {
			Key      string
			Outcomes []struct {
				Name, Description string
				Price, Point      json.Number
			}
		}
	}
}

// events returns all fixtures of all active competitions of football.
func events(t *testing.T, sim *simulator.Server) (all []event) {
	t.Helper()
	for _, s := range read[[]struct {
		Key, Group string
		Active     bool
	}](t, get(sim, "/v4/sports")) {
		if !s.Active {
			t.Errorf("%s is not active, and was not asked for", s.Key)
		}
		if s.Group == "Soccer" {
			all = append(all, read[[]event](t, get(sim, "/v4/sports/"+s.Key+"/events"))...)
		}
	}
	return all
}

// The list has the fixtures that are to be played or in play, each once, with an id from
// which its number follows.
func TestListing(t *testing.T) {
	sim := emulated(t, simulator.Options{Fixtures: 80})
	listed := sim.Listed(sim.Tokens()[0])
	all := events(t, sim)
	if len(all) != len(listed) || len(all) < 70 {
		t.Errorf("%d fixtures, %d meant", len(all), len(listed))
	}
	begun := 0
	for _, f := range listed {
		if !slices.ContainsFunc(all, func(e event) bool {
			return e.ID == f.ID && e.Home == f.Home && e.Start == f.KickOff.Format(time.RFC3339)
		}) || f.Over || !f.Human {
			t.Errorf("%+v", f)
		}
		if m, ok := sim.Match(sim.Tokens()[0], f.ID); !ok || m.ID != f.ID || m.Fixture.Home.Name != f.Home {
			t.Errorf("%s is the id of %+v, %v", f.ID, m.Fixture, ok)
		}
		if !f.KickOff.After(sim.Now()) {
			begun++
		}
	}
	if begun < 5 {
		t.Errorf("%d in play", begun)
	}
}

// A handicap is the row's own, a list may begin with the away side, and bookmakers
// differ; an exchange adds its lay prices.
func TestPrices(t *testing.T) {
	sim := emulated(t, simulator.Options{Fixtures: 80})
	awayFirst, lists, differ := 0, 0, 0
	for _, sport := range sports(events(t, sim)) {
		for _, e := range read[[]event](t, get(sim, "/v4/sports/"+sport+"/odds?bookmakers=pinnacle,betfair_ex_eu&markets=h2h,spreads")) {
			var texts []string
			for _, b := range e.Bookmakers {
				if b.Updated == "" {
					t.Errorf("%s has no time", b.Key)
				}
				for _, m := range b.Markets {
					if m.Key == "h2h_lay" && b.Key != "betfair_ex_eu" {
						t.Errorf("lay prices of %s", b.Key)
					}
					if m.Key == "h2h" {
						lists++
						awayFirst += map[bool]int{true: 1}[m.Outcomes[0].Name == e.Away]
						text, _ := json.Marshal(m.Outcomes)
						texts = append(texts, string(text))
					}
					for _, o := range m.Outcomes {
						if m.Key == "spreads" && (o.Point == "" || strings.HasPrefix(string(o.Point), "+")) || !strings.Contains(string(o.Price), ".") {
							t.Errorf("%s of %s: %+v", m.Key, e.ID, o)
						}
					}
				}
			}
			if len(texts) == 2 && texts[0] != texts[1] {
				differ++
			}
		}
	}
	if lists < 100 || awayFirst < lists/4 || awayFirst > lists*3/4 || differ == 0 {
		t.Errorf("%d of %d lists begin with the away side, %d differ between bookmakers", awayFirst, lists, differ)
	}
}

func sports(all []event) (keys []string) {
	for _, e := range all {
		keys = append(keys, e.Sport)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Lists cost nothing; prices cost a credit for each market, and for one fixture only for
// the markets in the answer. A refused request costs nothing.
func TestCredits(t *testing.T) {
	sim := emulated(t, simulator.Options{Fixtures: 80, Quota: 100})
	listed := events(t, sim)
	e := listed[slices.IndexFunc(listed, func(e event) bool { return e.Start > "2026-03-05" })]
	odds, single := "/v4/sports/"+e.Sport+"/odds?regions=eu&markets=", "/v4/sports/"+e.Sport+"/events/"+e.ID+"/odds?bookmakers=pinnacle&markets="
	came := 0
	for _, b := range read[event](t, get(emulated(t, simulator.Options{Fixtures: 80}), single+"h2h,btts,to_qualify,team_totals")).Bookmakers {
		came = len(b.Markets)
	}
	used := 0
	for _, x := range []struct {
		path string
		cost int
	}{
		{"/v4/sports", 0}, {"/v4/sports/" + e.Sport + "/events", 0}, {odds + "h2h,totals", 2}, {single + "h2h,btts,to_qualify,team_totals", came},
		{odds + "nonsense", 0}, {odds + "h2h&eventIds=" + strings.Repeat("0", 32), 0},
	} {
		w := get(sim, x.path)
		used += x.cost
		if h := w.Header(); h.Get("x-requests-used") != strconv.Itoa(used) || h.Get("x-requests-remaining") != strconv.Itoa(100-used) || w.Code == 200 && h.Get("x-requests-last") != strconv.Itoa(x.cost) {
			t.Errorf("%s: %v, want %d more, %d in all", x.path, h, x.cost, used)
		}
	}
	for range 100 {
		get(sim, odds+"h2h")
	}
	w := get(sim, odds+"h2h")
	v := theoddsapi.Classify(w.Code, w.Header(), w.Body.Bytes())
	if w.Code != http.StatusUnauthorized || v.Kind != provider.Limited || v.Quota == nil || v.Quota.Left != 0 || v.Quota.Limit != 100 {
		t.Errorf("used up: %d %s, %+v", w.Code, w.Body, v)
	}
	if w := get(sim, "/v4/sports"); w.Code != http.StatusOK {
		t.Errorf("a free list is refused: %s", w.Body)
	}
}

func TestRefusals(t *testing.T) {
	sim := emulated(t, simulator.Options{Fixtures: 80, Tokens: map[string]simulator.Account{"good": {}, "small": {Denied: true}}})
	r := httptest.NewRequest(http.MethodGet, "/v4/sports?apiKey=good", nil)
	w := httptest.NewRecorder()
	if sim.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Fatalf("%s", w.Body)
	}
	first := sim.Listed("good")[0]
	sport := ""
	for _, s := range read[[]struct{ Key, Title string }](t, w) {
		if s.Title == first.League {
			sport = s.Key
		}
	}
	odds, single := "/v4/sports/"+sport+"/odds", "/v4/sports/"+sport+"/events/"+first.ID+"/odds"
	for _, x := range []struct {
		path   string
		status int
		code   string
		kind   provider.Kind
	}{
		{"/v4/sports?apiKey=", 401, "INVALID_KEY", provider.CredentialFault},
		{"/v4/sports?apiKey=bad", 401, "INVALID_KEY", provider.CredentialFault},
		{"/v4/sports?apiKey=small", 403, "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN", provider.PermissionFault},
		{"/v4/sports/soccer_nowhere/events", 404, "UNKNOWN_SPORT", provider.Rejected},
		{odds, 422, "MISSING_REGION", provider.Rejected},
		{odds + "?bookmakers=nobody", 422, "INVALID_BOOKMAKERS", provider.Rejected},
		{odds + "?regions=eu&markets=btts", 422, "INVALID_MARKET", provider.Rejected},
		{single + "?regions=eu&markets=nonsense", 422, "INVALID_MARKET", provider.Rejected},
		{"/v4/sports/" + sport + "/events/17/odds?regions=eu", 404, "EVENT_NOT_FOUND", provider.Rejected},
		{"/v4/sports/" + sport + "/events/" + strings.Repeat("0", 32) + "/odds?regions=eu", 404, "EVENT_NOT_FOUND", provider.Rejected},
		{"/v4/sports/" + sport + "/events//odds", 404, "", provider.Retryable},
		{"/v3/odds", 404, "", provider.Retryable},
	} {
		path := x.path
		if !strings.Contains(path, "apiKey=") {
			path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "apiKey=good"
		}
		w := get(sim, path)
		var body struct {
			Message string
			Code    string `json:"error_code"`
		}
		err := json.Unmarshal(w.Body.Bytes(), &body)
		v := theoddsapi.Classify(w.Code, w.Header(), w.Body.Bytes())
		if err != nil || w.Code != x.status || body.Code != x.code || body.Message == "" || x.code != "" && v.Kind != x.kind {
			t.Errorf("%s: %d %s, %+v, %v", path, w.Code, w.Body, v, err)
		}
	}
}
