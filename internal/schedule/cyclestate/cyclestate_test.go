package cyclestate_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const entries = `version: 1
tenants:
  - id: acme
    products: {market_engine: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: suspended
    status: SUSPENDED
    products: {market_engine: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: expired
    products: {market_engine: {expires: 2020-01-01T00:00:00Z}}
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: bare
    products: {market_engine: }
`

func TestNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	check.Must(t, os.WriteFile(path, []byte(entries), 0o600))
	file, err := accounts.Load(path)
	check.Must(t, err)
	data := t.TempDir()
	next := func(id string, pace *health.Pace, last time.Time) cyclestate.Next {
		tenant, _ := file.Tenant(id)
		if pace != nil {
			pace.CredentialFingerprint = tenant.Provider.Fingerprint()
		}
		return cyclestate.NextOf(data, tenant, football.MarketEngine, pace, last, noon.Add(20*time.Minute))
	}
	if n := next("acme", nil, noon); !n.At.Equal(noon.Add(time.Hour)) || n.Cadence != time.Hour || !n.Overdue.IsZero() || n.Stopped != "" {
		t.Errorf("an hourly product that ran at noon: %+v", n)
	}
	if n := next("acme", nil, noon.Add(-130*time.Minute)); !n.Overdue.Equal(noon.Add(-2 * time.Hour)) {
		t.Errorf("a product that nobody runs is overdue since %s", n.Overdue)
	}
	pace := &health.Pace{At: noon, Every: 4 * time.Hour, Cadence: 4 * time.Hour, Until: noon.Add(24 * time.Hour)}
	if n := next("acme", pace, noon.Add(-130*time.Minute)); !n.At.Equal(noon.Add(4*time.Hour)) || n.Pace != 4*time.Hour || !n.Overdue.IsZero() {
		t.Errorf("slowed to every four hours: %+v", n)
	}
	for id, want := range map[string]string{"suspended": "SUSPENDED", "expired": "EXPIRED", "bare": "no provider"} {
		if n := next(id, nil, time.Time{}); n.Stopped != want || !n.At.IsZero() {
			t.Errorf("%s: %+v, want %s", id, n, want)
		}
	}
	acme, _ := file.Tenant("acme")
	root, err := durable.OpenRoot(dataset.Dataset{Data: data, Tenant: "acme", Product: football.MarketEngine}.Dir())
	err = errors.Join(err, health.Record(root, health.Run{Step: health.StepFetch, FinishedAt: noon, Code: health.CodeCredential, CredentialFingerprint: acme.Provider.Fingerprint()}))
	check.Must(t, err)
	if n := next("acme", nil, noon); n.Postponed == nil || !n.At.Equal(n.Postponed.Until) || !n.At.Equal(noon.Add(55*time.Minute)) {
		t.Errorf("refused by the provider: %+v", n)
	}
}

// The newest cycle is that of the step that began last, whatever the other steps did before.
func TestLast(t *testing.T) {
	run := func(step, cycle string, began time.Duration, ok bool) *health.Run {
		return &health.Run{Step: step, Cycle: cycle, StartedAt: noon.Add(began), FinishedAt: noon.Add(began + time.Second), OK: ok, LastOKAt: &noon}
	}
	for name, c := range map[string]struct {
		runs            []*health.Run
		failed, waiting string
		took            time.Duration
	}{
		"published":        {[]*health.Run{run("fetch", "b", 0, true), run("transform", "b", 5*time.Second, true), run("publish", "b", 9*time.Second, true)}, "", "", 3 * time.Second},
		"fetch failed":     {[]*health.Run{run("fetch", "b", time.Hour, false), run("transform", "a", 0, true), run("publish", "a", time.Second, true)}, "fetch", "", time.Second},
		"under way":        {[]*health.Run{run("fetch", "b", time.Hour, true), run("transform", "a", 0, true), run("publish", "a", time.Second, true)}, "", "transform", time.Second},
		"transform failed": {[]*health.Run{run("fetch", "b", 0, true), run("transform", "b", time.Second, false), nil}, "transform", "", 2 * time.Second},
		"again by hand":    {[]*health.Run{run("fetch", "b", 0, true), run("transform", "a", time.Hour, true), run("publish", "b", time.Minute, true)}, "", "publish", time.Second},
	} {
		last := cyclestate.LastOf(c.runs...)
		failed := ""
		if last.Failed() != nil {
			failed = last.Failed().Step
		}
		if failed != c.failed || last.Waiting() != c.waiting || last.Took() != c.took {
			t.Errorf("%s: %s failed, waiting for %q, took %s", name, failed, last.Waiting(), last.Took())
		}
	}
	if cyclestate.LastOf(nil, nil, nil) != nil {
		t.Error("a product that never ran has a newest cycle")
	}
}
