package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/health"
)

// emulated starts an emulator of a provider, in whose world it is always the same time.
func emulated(t *testing.T, name string, faults ...string) *bench {
	t.Helper()
	p, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	p.Budget.Burst = 1000
	at := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	url, _ := serve(t, name, simulator.Options{Fixtures: 60, InPlay: 30, Quota: 20_000, Now: func() time.Time { return at }}, faults...)
	b := newBench(t, url, p)
	b.clock = at
	return b
}

// sold describes a plan: "prematch -live_stats".
func sold(p *health.Plan) string {
	var list []string
	for _, c := range p.Included() {
		list = append(list, string(c))
	}
	for _, c := range p.Refused() {
		list = append(list, "-"+string(c))
	}
	return strings.Join(list, " ")
}

// A test shows the content of the plan, whole or in part, at every provider. The
// credential is good as long as anything is accepted.
func TestPlan(t *testing.T) {
	withoutLive := []string{"permission:1@live", "permission:1@details"}
	withoutMarkets := []string{"permission:1@listing", "permission:1@markets"}
	for _, c := range []struct {
		provider string
		faults   []string
		requests int
		name     string
		sold     string
		code     health.Code
	}{
		{"betsapi", nil, 4, "", "prematch live_stats timeline", ""},
		{"betsapi", withoutLive, 4, "", "prematch -live_stats -timeline", ""},
		{"betsapi", withoutMarkets, 4, "", "live_stats timeline -prematch", ""},
		{"betsapi", []string{"permission:1@markets"}, 5, "", "live_stats timeline -prematch", ""},
		{"betsapi", []string{"permission:1"}, 4, "", "-prematch -live_stats -timeline", "PERMISSION_DENIED"},
		{"betsapi", []string{"500:1@live"}, 3, "", "prematch", ""},
		{"betsapi", []string{"429:1@live"}, 3, "", "prematch", "RATE_LIMITED"},
		{"betsapi", []string{"credential:1@live"}, 4, "", "prematch", "CREDENTIAL_REJECTED"},

		{"sportmonks", nil, 5, "Simulated Plan", "prematch live_stats timeline -live_odds", ""},
		{"sportmonks", []string{"permission:1@markets"}, 6, "Simulated Plan", "live_stats timeline -prematch -live_odds", ""},
		{"sportmonks", withoutMarkets, 5, "Simulated Plan", "live_stats timeline -prematch -live_odds", ""},
		{"sportmonks", []string{"permission:1@live"}, 4, "Simulated Plan", "prematch -live_stats -timeline -player_events", ""},

		{"apifootball", nil, 6, "Ultra", "prematch live_stats timeline player_events", ""},
		{"apifootball", withoutLive, 6, "Ultra", "prematch -live_stats -timeline -player_events", ""},
		{"apifootball", withoutMarkets, 6, "Ultra", "live_stats timeline player_events -prematch", ""},

		{"theoddsapi", nil, 2, "20000 credits a month", "prematch", ""},
		{"theoddsapi", []string{"permission:1@markets"}, 3, "20000 credits a month", "-prematch -live_odds", ""},
	} {
		t.Run(c.provider+" "+strings.Join(c.faults, " "), func(t *testing.T) {
			t.Parallel()
			b := emulated(t, c.provider, c.faults...)
			b.options.Limits.Tries = 1
			r, err := fetch.Test(t.Context(), b.options)
			b.texts = append(b.texts, fmt.Sprintf("%+v %v %#v", r, err, err))
			if r.Code != c.code || (err == nil) != (c.code == "") || r.Requests != c.requests || sold(r.Plan) != c.sold || r.Plan.Name != c.name {
				t.Errorf("%+v, plan %+v, %s: %v", r, r.Plan, sold(r.Plan), err)
			}
			run, err := health.Read(b.options.Root, health.StepProbe)
			if err != nil || sold(run.Plan) != c.sold || run.OK != (c.code == "") {
				t.Errorf("kept %+v, %v", run, err)
			}
			want := health.Connected
			switch c.code {
			case "PERMISSION_DENIED":
				want = health.Verifying
			case "CREDENTIAL_REJECTED":
				want = health.InvalidCredential
			}
			if got := b.connection(); got != want {
				t.Errorf("the connection is %s", got)
			}
		})
	}
}

// Good cycles show the parts they fetched, and a refusal removes them.
func TestPlanOfCycles(t *testing.T) {
	for _, c := range []struct{ provider, markets, live string }{
		{"betsapi", "prematch", "live_stats timeline"},
		{"sportmonks", "prematch", "live_stats timeline"},
		{"apifootball", "prematch", "live_stats timeline player_events"},
		{"theoddsapi", "prematch", ""},
	} {
		t.Run(c.provider, func(t *testing.T) {
			t.Parallel()
			b := emulated(t, c.provider)
			_, err := b.run(t.Context())
			must(t, err)
			if got := sold(b.state().Plan); got != c.markets {
				t.Errorf("market engine: %s", got)
			}
			refusing := emulated(t, c.provider, "permission:1")
			b.options.Tenant.BaseURL, b.clock = refusing.options.Tenant.BaseURL, b.clock.Add(time.Hour)
			if _, err := b.run(t.Context()); !errors.Is(err, fetch.ErrPermission) {
				t.Fatal(err)
			}
			if p := b.state().Plan; !p.Refuses(football.Prematch) && c.provider != "theoddsapi" {
				t.Errorf("refused: %+v", p)
			}
			if c.live == "" {
				return
			}
			b = emulated(t, c.provider)
			b.options.Product = football.LiveIntelligence
			_, err = b.run(t.Context())
			must(t, err)
			if got := sold(b.state().Plan); got != c.live {
				t.Errorf("live intelligence: %s", got)
			}
			b.options.Tenant.BaseURL, b.clock = refusing.options.Tenant.BaseURL, b.clock.Add(time.Hour)
			if _, err := b.run(t.Context()); !errors.Is(err, fetch.ErrPermission) {
				t.Fatal(err)
			}
			if p := b.state().Plan; !p.Refuses(football.LiveStats) || !p.Refuses(football.LiveTimeline) {
				t.Errorf("refused: %+v", p)
			}
		})
	}
}

// A plan's name is outside text: it is bounded, in one line, and never the credential.
func TestNameOfPlan(t *testing.T) {
	for said, want := range map[string]string{
		"Pro\x1b[31m\n Plan ":       "Pro [31m Plan",
		"of " + canary:              "",
		strings.Repeat("long ", 50): strings.TrimSpace(strings.Repeat("long ", 20)) + " ",
		"План «Про»":                "План «Про»",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ids":[]}`) }))
		defer server.Close()
		p := tiny()
		p.ReadPlan = func(provider.Answered) provider.Plan {
			return provider.Plan{Name: said, EndsAt: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), Includes: []provider.Capability{provider.Prematch}}
		}
		b := newBench(t, server.URL, p)
		r, err := fetch.Test(t.Context(), b.options)
		must(t, err)
		if r.Plan.Name != want && r.Plan.Name != strings.TrimSpace(want) || r.Plan.EndsAt == nil || !slices.Equal(r.Plan.Included(), []football.Capability{football.Prematch}) {
			t.Errorf("%q: %+v", said, r.Plan)
		}
	}
}
