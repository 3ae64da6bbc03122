package health_test

import (
	"slices"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/football"
	"mkt/publish/health"
)

func hour(n int) time.Time { return start.Add(time.Duration(n) * time.Hour) }

// plan makes a plan of "prematch" for included and "-prematch" for refused capabilities.
func plan(at time.Time, name string, words ...string) *health.Plan {
	p := &health.Plan{Name: name, Capabilities: map[football.Capability]health.Evidence{}}
	if name != "" {
		p.At = at
	}
	for _, w := range words {
		included := w[0] != '-'
		if !included {
			w = w[1:]
		}
		p.Capabilities[football.Capability(w)] = health.Evidence{Included: included, At: at}
	}
	return p
}

func words(list []football.Capability) (out []string) {
	for _, c := range list {
		out = append(out, string(c))
	}
	return out
}

// Each run adds to what is known of the plan, and another credential begins anew.
func TestRecordKeepsThePlan(t *testing.T) {
	f := durabletest.NewMem()
	for i, step := range []struct {
		fingerprint       string
		plan              *health.Plan
		name              string
		included, refused []string
	}{
		{"a", nil, "", nil, nil},
		{"a", plan(hour(1), "Pro", "timeline", "prematch"), "Pro", []string{"prematch", "timeline"}, nil},
		{"a", nil, "Pro", []string{"prematch", "timeline"}, nil},
		{"a", plan(hour(3), "", "-timeline", "live_stats"), "Pro", []string{"prematch", "live_stats"}, []string{"timeline"}},
		{"a", plan(hour(4), "Free", "timeline"), "Free", []string{"prematch", "live_stats", "timeline"}, nil},
		{"b", nil, "", nil, nil},
		{"b", plan(hour(6), "", "-prematch"), "", nil, []string{"prematch"}},
	} {
		must(t, health.Record(f, health.Run{Step: "fetch", FinishedAt: hour(i), CredentialFingerprint: step.fingerprint, Plan: step.plan}))
		run, err := health.Read(f, "fetch")
		must(t, err)
		name := ""
		if run.Plan != nil {
			name = run.Plan.Name
		}
		if name != step.name || !slices.Equal(words(run.Plan.Included()), step.included) || !slices.Equal(words(run.Plan.Refused()), step.refused) {
			t.Errorf("run %d: %+v", i, run.Plan)
		}
	}
}

// The newest finding about each part counts, whichever run it is from.
func TestNewestPlan(t *testing.T) {
	test := &health.Run{CredentialFingerprint: "a", Plan: plan(hour(2), "Pro", "prematch", "-live_stats", "live_odds")}
	market := &health.Run{CredentialFingerprint: "a", Plan: plan(hour(3), "", "-prematch")}
	live := &health.Run{CredentialFingerprint: "a", Plan: plan(hour(1), "Free", "live_stats", "timeline")}
	other := &health.Run{CredentialFingerprint: "b", Plan: plan(hour(9), "Other", "live_stats")}
	p := health.NewestPlan("a", test, nil, market, live, other, &health.Run{CredentialFingerprint: "a"})
	if p.Name != "Pro" || !slices.Equal(words(p.Included()), []string{"live_odds", "timeline"}) || !slices.Equal(words(p.Refused()), []string{"prematch", "live_stats"}) {
		t.Errorf("%+v", p)
	}
	if !p.Refuses(football.MarketEngine.Needs()) || p.Includes(football.LiveStats) || !p.Includes(football.LiveOdds) || p.Refuses(football.PlayerEvents) {
		t.Errorf("%+v", p)
	}
	if was := p.AsOf(hour(1)); was.Name != "" || !slices.Equal(words(was.Included()), []string{"timeline"}) || len(was.Refused()) > 0 {
		t.Errorf("as of then: %+v", was)
	}
	if p = health.NewestPlan("c", test, market); p != nil || len(p.Included()) > 0 || p.Refuses(football.Prematch) || p.AsOf(hour(1)) != nil {
		t.Errorf("an unknown credential: %+v", p)
	}
}

// A word of another version, or of a file that was edited, is no capability.
func TestPlanOfUnknownWords(t *testing.T) {
	p := plan(hour(1), "", "prematch", "horse_racing")
	if got := words(p.Included()); !slices.Equal(got, []string{"prematch"}) {
		t.Errorf("%v", got)
	}
}
