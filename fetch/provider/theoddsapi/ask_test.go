package theoddsapi_test

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/providertest"
)

// upstream is a provider in memory: competitions and their fixtures. Each fixture has
// one market.
type upstream struct {
	sports  []string
	events  map[string][]string                                // JSON, by competition
	answers func(r provider.Request) (body string, status int) // instead of the usual; "" = the usual
	gone    func(id string) bool                               // fixtures an answer leaves out
	providertest.Fake
}

func (u *upstream) Now() time.Time    { return fetchedAt }
func (u *upstream) Bookmaker() string { return cmp.Or(u.Chosen, theoddsapi.DefaultBookmaker) }

func (u *upstream) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	return u.Send(ctx, theoddsapi.Provider(), r, func() (body string, status int) {
		if u.answers != nil {
			body, status = u.answers(r)
		}
		if body == "" {
			body, status = u.answer(r), 200
		}
		return body, status
	})
}

func (u *upstream) answer(r provider.Request) string {
	steps := strings.Split(r.Path, "/") // "", v4, sports, the competition, …
	switch r.Endpoint {
	case "sports":
		items := []string{`{"key":"soccer_cup_winner","group":"Soccer","active":true,"has_outrights":true}`, `{"key":"soccer_old","group":"Soccer","active":false,"has_outrights":false}`,
			`{"key":"tennis_atp","group":"Tennis","active":true,"has_outrights":false}`}
		for _, s := range u.sports {
			items = append(items, fmt.Sprintf(`{"key":%q,"group":"Soccer","active":true,"has_outrights":false}`, s))
		}
		return "[" + strings.Join(items, ",") + "]"
	case "events":
		return "[" + strings.Join(u.events[steps[3]], ",") + "]"
	case "event/odds":
		return priced(steps[5])
	}
	var items []string
	for _, id := range strings.Split(r.Query.Get("eventIds"), ",") {
		if u.gone == nil || !u.gone(id) {
			items = append(items, priced(id))
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}

func priced(id string) string {
	return fmt.Sprintf(`{"id":%q,"bookmakers":[{"key":"pinnacle","markets":[{"key":"totals","outcomes":[{"name":"Over","price":1.9,"point":2.5}]}]}]}`, id)
}

// listed is a fixture that begins so long after now.
func listed(id string, after time.Duration) string {
	return fmt.Sprintf(`{"id":%q,"sport_key":"soccer_x","commence_time":%q,"home_team":"A","away_team":"B"}`, id, fetchedAt.Add(after).Format(time.RFC3339))
}

// of are the paths asked at an endpoint, sorted.
func (u *upstream) of(endpoint string) (paths []string) {
	for _, r := range u.Requests {
		if r.Endpoint == endpoint {
			paths = append(paths, strings.TrimPrefix(r.Path, "/v4/sports/"))
		}
	}
	slices.Sort(paths)
	return paths
}

func twoCups() *upstream {
	return &upstream{sports: []string{"soccer_a", "soccer_b"}, events: map[string][]string{
		"soccer_a": {listed("a1", time.Hour), listed("a2", 48*time.Hour), listed("a0", -time.Hour)},
		"soccer_b": {listed("b1", 30*time.Hour), `{"id":"b2"}`, `{"id":"n1","sport_key":"basketball_nba"}`},
	}}
}

func ask(t *testing.T, u *upstream) (provider.Asked, error) {
	t.Helper()
	asked, err := adapter.Ask(t.Context(), u)
	if err == nil && u.Done != u.Total {
		t.Errorf("progress %d of %d at the end", u.Done, u.Total)
	}
	return asked, err
}

// The fixtures of every competition cost one request, and their featured markets
// another. Fixtures that have begun, and other sports, are not asked for.
func TestAsk(t *testing.T) {
	u := twoCups()
	asked, err := ask(t, u)
	if err != nil || !asked.ListingComplete || asked.Listed != 5 || asked.Filtered != 1 || len(asked.Failed)+len(asked.NotOffered) > 0 || asked.Counters["in_play"] != 1 ||
		asked.Counters["competitions"] != 2 {
		t.Errorf("%+v, %v", asked, err)
	}
	if got := u.of("events"); !slices.Equal(got, []string{"soccer_a/events", "soccer_b/events"}) {
		t.Errorf("events asked at %v", got)
	}
	if got := u.of("odds"); !slices.Equal(got, []string{"soccer_a/odds", "soccer_b/odds"}) || len(u.Requests) != 5 {
		t.Errorf("odds asked at %v, %d requests", got, len(u.Requests))
	}
	want := map[string]string{"soccer_a": "a1,a2", "soccer_b": "b1,b2"}
	for _, r := range u.Requests {
		if r.Endpoint != "odds" {
			continue
		}
		sport := strings.Split(r.Path, "/")[3]
		if q := (url.Values{"bookmakers": {"pinnacle"}, "markets": {"h2h,spreads,totals"}, "oddsFormat": {"decimal"}, "dateFormat": {"iso"}, "eventIds": {want[sport]}}); r.Query.Encode() != q.Encode() {
			t.Errorf("%s: query %v", sport, r.Query)
		}
	}
}

// The account's bookmaker is in every request for prices.
func TestAskBookmaker(t *testing.T) {
	u := twoCups()
	u.Chosen, u.Left = "betsson", &provider.Quota{Left: 1, Limit: 5_000_000}
	if _, err := ask(t, u); err != nil {
		t.Fatal(err)
	}
	for _, r := range u.Requests {
		if adapter.IsMarkets(r.Endpoint) != (r.Query.Get("bookmakers") == "betsson") {
			t.Errorf("%s: query %v", r.Endpoint, r.Query)
		}
	}
}

// A large plan buys every market of the fixtures of the next day, in separate requests, and
// no market twice.
func TestAskEveryMarket(t *testing.T) {
	for limit, want := range map[int][]string{20_000: nil, 5_000_000: {"soccer_a/events/a1/odds"}} {
		u := twoCups()
		u.Left = &provider.Quota{Left: 100, Limit: limit}
		asked, err := ask(t, u)
		if got := u.of("event/odds"); err != nil || !slices.Equal(got, want) || len(asked.Failed) > 0 || int(asked.Counters["all_markets"]) != len(want) {
			t.Errorf("%d credits: %v, asked at %v, %+v", limit, err, got, asked)
		}
		for _, r := range u.Requests {
			if r.Endpoint == "odds" && (r.Query.Get("eventIds") == "a1,a2") != (want == nil) && strings.Contains(r.Path, "soccer_a") {
				t.Errorf("%d credits: featured of %s", limit, r.Query.Get("eventIds"))
			}
			if n := len(strings.Split(r.Query.Get("markets"), ",")); r.Endpoint == "event/odds" && n != 46 {
				t.Errorf("%d markets are asked for", n)
			}
		}
	}
}

// If the provider refuses a key of the list, the featured markets are requested.
func TestAskRefusedMarkets(t *testing.T) {
	u := twoCups()
	u.Left = &provider.Quota{Left: 100, Limit: 5_000_000}
	u.answers = func(r provider.Request) (string, int) {
		if strings.Contains(r.Query.Get("markets"), "btts") {
			return errorBody("INVALID_MARKET"), 422
		}
		return "", 0
	}
	asked, err := ask(t, u)
	if err != nil || len(asked.Failed) > 0 || asked.Counters["markets_refused"] != 1 || len(u.of("event/odds")) != 2 {
		t.Errorf("%v, %+v, asked at %v", err, asked, u.of("event/odds"))
	}
}

// A request that fails affects its own fixtures only, and an incomplete listing says so.
func TestAskFailures(t *testing.T) {
	answer := func(endpoint, path, body string, status int) func(provider.Request) (string, int) {
		return func(r provider.Request) (string, int) {
			if r.Endpoint == endpoint && strings.Contains(r.Path, path) {
				return body, status
			}
			return "", 0
		}
	}
	for _, c := range []struct {
		name            string
		answers         func(provider.Request) (string, int)
		quota           int // the plan's credits
		err             string
		failed, notHere string
		complete        bool
	}{
		{"wrong key", answer("sports", "", errorBody("INVALID_KEY"), 401), 0, "INVALID_KEY", "", "", false},
		{"no competition", answer("sports", "", `[{"key":"tennis_atp","group":"Tennis","active":true,"has_outrights":false}]`, 200), 0, "no active competition", "", "", false},
		{"a competition that cannot be read", answer("sports", "", `[{"key":"soccer_a","group":"Soccer","active":true,"has_outrights":false},{"key":"soccer_b","active":"yes"}]`, 200), 0, "", "", "", false},
		{"fixtures of a competition", answer("events", "soccer_b", errorBody("UNKNOWN_SPORT"), 404), 0, "", "", "", false},
		{"fixtures of all competitions", answer("events", "", "", 0), 0, "", "", "", true},
		{"no fixtures at all", answer("events", "", errorBody("UNKNOWN_SPORT"), 404), 0, "UNKNOWN_SPORT", "", "", false},
		{"a fixture without an id", answer("events", "soccer_b", `[{"id":"b1"},{"id":7}]`, 200), 0, "", "", "", false},
		{"a list of something else", answer("events", "soccer_b", `[{"key":"b1"},{"key":7}]`, 200), 0, "", "", "", false},
		{"prices of a competition", answer("odds", "soccer_b", errorBody("INVALID_SPORT"), 422), 0, "", "b1,b2", "", true},
		{"prices cut", answer("odds", "soccer_b", `[{"id"`, 200), 0, "", "b1,b2", "", true},
		{"a fixture left out", answer("odds", "soccer_b", "["+priced("b1")+"]", 200), 0, "", "", "b2", true},
		{"a fixture that may be left out", answer("odds", "soccer_b", "["+priced("b1")+`,{"bookmakers":[]}]`, 200), 0, "", "b1,b2", "", true},
		{"no prices at all", answer("odds", "", errorBody("INVALID_SPORT"), 422), 0, "INVALID_SPORT", "a1,a2,b1,b2", "", true},
		{"an unknown bookmaker", answer("odds", "soccer_a", errorBody("INVALID_BOOKMAKERS"), 422), 0, "INVALID_BOOKMAKERS", "", "", true},
		{"a fixture that is over", answer("event/odds", "a1", errorBody("EVENT_NOT_FOUND"), 404), 5_000_000, "", "", "a1", true},
		{"another fixture", answer("event/odds", "a1", priced("a9"), 200), 5_000_000, "", "a1", "", true},
	} {
		u := twoCups()
		u.answers = c.answers
		u.Left = &provider.Quota{Left: 1, Limit: c.quota}
		asked, err := ask(t, u)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if strings.Join(asked.Failed, ",") != c.failed || strings.Join(asked.NotOffered, ",") != c.notHere || asked.ListingComplete != c.complete {
			t.Errorf("%s: failed %v, not offered %v, complete %v", c.name, asked.Failed, asked.NotOffered, asked.ListingComplete)
		}
	}
}

// If the quota is used up in the middle, the fixtures that begin last have failed.
func TestAskQuotaEnds(t *testing.T) {
	u := &upstream{Fake: providertest.Fake{Workers: 1}, events: make(map[string][]string)}
	for i := range 20 {
		sport := fmt.Sprintf("soccer_%02d", i)
		u.sports = append(u.sports, sport)
		u.events[sport] = []string{listed(fmt.Sprintf("e%02d", i), time.Duration(i+1)*time.Hour)}
	}
	slices.Reverse(u.sports)
	had := 0
	u.answers = func(r provider.Request) (string, int) {
		if r.Endpoint == "odds" {
			if had++; had > 8 {
				return errorBody("OUT_OF_USAGE_CREDITS"), 401
			}
		}
		return "", 0
	}
	asked, err := ask(t, u)
	if err != nil || !asked.ListingComplete || len(asked.Failed) != 12 || asked.Failed[0] != "e08" {
		t.Errorf("%v, %+v", err, asked)
	}
	if n := len(u.of("odds")); n != 9 {
		t.Errorf("%d requests for prices", n)
	}
}

// If it is used up in the lists, no other list is asked for.
func TestAskQuotaEndsInTheLists(t *testing.T) {
	u := twoCups()
	u.sports, u.Workers = []string{"soccer_a", "soccer_b", "soccer_c", "soccer_d"}, 1
	u.answers = func(r provider.Request) (string, int) {
		if strings.Contains(r.Path, "soccer_b/events") {
			return errorBody("OUT_OF_USAGE_CREDITS"), 401
		}
		return "", 0
	}
	if asked, err := adapter.Ask(t.Context(), u); asked.ListingComplete || len(u.of("events")) != 2 {
		t.Errorf("%+v, %v, asked at %v", asked, err, u.of("events"))
	}
}

// A competition with very many fixtures takes several requests.
func TestAskChunks(t *testing.T) {
	u := &upstream{sports: []string{"soccer_a"}, events: make(map[string][]string)}
	for i := range 250 {
		u.events["soccer_a"] = append(u.events["soccer_a"], listed(fmt.Sprintf("e%03d", i), time.Hour))
	}
	asked, err := ask(t, u)
	if err != nil || asked.Listed != 250 || len(u.of("odds")) != 3 || len(asked.Failed)+len(asked.NotOffered) > 0 {
		t.Errorf("%v, %+v, %d requests", err, asked, len(u.of("odds")))
	}
}

// A cycle of 300 fixtures in 30 competitions: the numbers of docs/providers.md.
func TestCost(t *testing.T) {
	for _, c := range []struct{ limit, requests, credits int }{{100_000, 61, 90}, {5_000_000, 104, 90 + 43*46}} {
		u := &upstream{events: make(map[string][]string), Fake: providertest.Fake{Left: &provider.Quota{Left: c.limit, Limit: c.limit}}}
		for i := range 30 {
			sport := fmt.Sprintf("soccer_%02d", i)
			u.sports = append(u.sports, sport)
			for k := range 10 { // a round a week, a seventh of it a day
				u.events[sport] = append(u.events[sport], listed(fmt.Sprintf("e%02d%02d", i, k), time.Duration((k*30+i)*7*24*60/300)*time.Minute+time.Minute))
			}
		}
		if _, err := ask(t, u); err != nil {
			t.Fatal(err)
		}
		credits := 0
		for _, r := range u.Requests {
			if r.Endpoint == "odds" || r.Endpoint == "event/odds" {
				credits += len(strings.Split(r.Query.Get("markets"), ","))
			}
		}
		if len(u.Requests) != c.requests || credits != c.credits {
			t.Errorf("%d credits a month: %d requests and at most %d credits, want %d and %d", c.limit, len(u.Requests), credits, c.requests, c.credits)
		}
	}
}
