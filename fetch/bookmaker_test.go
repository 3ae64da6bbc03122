package fetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider/theoddsapi"
	"mkt/fetch/raw"
)

// oddsAPI answers as The Odds API does, for two competitions of one fixture, and takes
// three credits for the prices of each. remaining changes the header with the rest of the plan; nil keeps it.
func oddsAPI(t *testing.T, plan, credits int64, now func() time.Time, remaining func(h http.Header)) (url string) {
	left := atomic.Int64{}
	left.Store(credits)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, status := "", http.StatusOK
		switch steps := strings.Split(r.URL.Path, "/"); {
		case r.URL.Query().Get("apiKey") != canary:
			body, status = `{"message":"no","error_code":"INVALID_KEY"}`, http.StatusUnauthorized
		case len(steps) == 3:
			body = `[{"key":"soccer_a","group":"Soccer","active":true,"has_outrights":false},{"key":"soccer_b","group":"Soccer","active":true,"has_outrights":false}]`
		case len(steps) == 7:
			body = fmt.Sprintf(`{"id":%q,"bookmakers":[]}`, steps[5])
		case steps[4] == "events":
			body = fmt.Sprintf(`[{"id":"%sfixture","sport_key":%q,"commence_time":"2026-11-21T17:00:00Z","home_team":"A","away_team":"B"}]`, steps[3][7:], steps[3])
		case left.Load() < 3:
			body, status = `{"message":"no","error_code":"OUT_OF_USAGE_CREDITS"}`, http.StatusUnauthorized
		default:
			left.Add(-3)
			body = fmt.Sprintf(`[{"id":%q,"bookmakers":[]}]`, r.URL.Query().Get("eventIds"))
		}
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		w.Header().Set("x-requests-remaining", fmt.Sprint(left.Load()))
		w.Header().Set("x-requests-used", fmt.Sprint(plan-left.Load()))
		if remaining != nil {
			remaining(w.Header())
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The account's bookmaker stands in the archived query of every answer about prices,
// and the adapter's default where the account has chosen none.
func TestBookmaker(t *testing.T) {
	for chosen, want := range map[string]string{"": theoddsapi.DefaultBookmaker, "betsson": "betsson"} {
		var b *bench
		b = newBench(t, oddsAPI(t, 20_000, 20_000, func() time.Time { return b.clock }, nil), theoddsapi.Provider())
		b.options.Tenant.Bookmaker = chosen
		s, err := b.run(t.Context())
		if err != nil || s.Outcome != raw.Complete || s.Quota == nil || *s.Quota.Left != 19_994 || *s.Quota.Limit != 20_000 {
			t.Fatalf("%+v, %v", s, err)
		}
		archive, err := raw.Open(b.options.Root, s.Cycle)
		must(t, err)
		prices := 0
		for _, r := range archive.Responses() {
			if r.Endpoint == "odds" {
				prices++
				if got := r.Query.Get("bookmakers"); got != want {
					t.Errorf("%q is chosen: prices of %q", chosen, got)
				}
			}
		}
		if prices != 2 {
			t.Errorf("%d answers about prices", prices)
		}
	}
}

// A month's credits may end in the middle of a cycle. They are then used up until the next
// month, and the answers fetched before stay.
func TestCreditsEnd(t *testing.T) {
	var b *bench
	b = newBench(t, oddsAPI(t, 20_000, 4, func() time.Time { return b.clock }, nil), theoddsapi.Provider())
	s, err := b.run(t.Context())
	if err != nil || s.Outcome != raw.Partial || s.Failed != 1 || s.Listed != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if until, usedUp := s.Quota.UsedUp(b.clock); !usedUp || !until.Round(time.Minute).Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("used up %v until %v", usedUp, until)
	}
}

// A cycle without a readable header asks for what the account's plan allowed in the cycle before, however many such
// cycles follow each other. Only a report of another plan changes it.
func TestPlanWithoutHeaders(t *testing.T) {
	header := http.Header{}
	var b *bench
	b = newBench(t, oddsAPI(t, 5_000_000, 5_000_000, func() time.Time { return b.clock }, func(h http.Header) {
		for name, values := range header {
			h[name] = values
		}
	}), theoddsapi.Provider())
	b.clock = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	remaining, used := http.CanonicalHeaderKey("x-requests-remaining"), http.CanonicalHeaderKey("x-requests-used")
	for _, c := range []struct {
		says string
		all  int
		http.Header
	}{
		{"the plan", 2, nil},
		{"nothing", 2, http.Header{remaining: nil, used: nil}},
		{"a word", 2, http.Header{remaining: {"abc"}}},
		{"less than none", 2, http.Header{remaining: {"-1"}}},
		{"the rest alone", 2, http.Header{used: nil}},
		{"no time", 2, http.Header{"Date": nil}},
		{"a smaller plan", 0, http.Header{remaining: {"19000"}, used: {"1000"}}},
		{"nothing again", 0, http.Header{remaining: nil, used: nil}},
	} {
		header, b.clock = c.Header, b.clock.Add(time.Minute)
		b.options.Circuits = nil // as a process of its own
		s, err := b.run(t.Context())
		if err != nil || s.Outcome != raw.Complete {
			t.Fatalf("%s: %+v, %v", c.says, s, err)
		}
		archive, err := raw.Open(b.options.Root, s.Cycle)
		must(t, err)
		all := 0
		for _, r := range archive.Responses() {
			if r.Endpoint == "event/odds" {
				all++
			}
		}
		if all != c.all {
			t.Errorf("the headers say %s: every market of %d fixtures, want %d", c.says, all, c.all)
		}
		b.options.Quota = b.state().Quota
	}
}
