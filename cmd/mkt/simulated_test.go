package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
	"mkt/transform"
	"mkt/transform/identity"
)

// simulatedSystem is the whole system on the provider simulator. For one seed it is always the same:
// the clock, the id key and the names of the runs are fixed, and requests to the provider are
// sequential. Only ports and API tokens vary, and no answer contains them.
type simulatedSystem struct {
	*system
	accounts []demo.Account
	runs     int
}

// Accounts of the simulated system.
const (
	entitled    = "main"        // has everything, with data
	suspended   = "suspended"   //
	expired     = "expired"     // its subscriptions expired
	unconnected = "unconnected" // has no provider
	waiting     = "waiting"     // connected, nothing published yet
	unreached   = "unreached"   // nothing published yet, and its provider is unreachable
	hurried     = "hurried"     // one request an hour
)

// simulatedNow is the time of the requests.
var simulatedNow = time.Date(2026, 11, 21, 14, 30, 0, 0, time.UTC)

// newSimulated makes the system, with matches that have been followed for a while, and serves it
// until the test ends.
func newSimulated(t *testing.T, o simulator.Options, past time.Duration, details int) *simulatedSystem {
	t.Helper()
	w := &simulatedSystem{system: newSystem(t, simulatedNow.Add(-past))}
	w.Batch.Provider = alone(w.Batch.Provider)
	w.enrolAll(o)
	w.play(past, details)
	w.record()
	w.now = w.now.Add(2345 * time.Millisecond) // the API answers a little later
	w.clock.Show(w.now)
	// A file in place of the usage folder keeps the counters in memory: when they are written depends on
	// the machine's clock.
	w.open(w.Tenants)
	return w
}

// alone makes an adapter's requests sequential.
func alone(lookup func(string) (provider.Provider, bool)) func(string) (provider.Provider, bool) {
	return func(name string) (provider.Provider, bool) {
		p, ok := lookup(name)
		p.Budget.Concurrency = 1
		return p, ok
	}
}

func (w *simulatedSystem) enrolAll(o simulator.Options) {
	w.Helper()
	both := []football.Product{football.MarketEngine, football.LiveIntelligence}
	for _, id := range []string{entitled, suspended, expired, unconnected, waiting, unreached, hurried} {
		a := demo.Account{Tenant: demo.NewTenant(id, both, map[string]bool{account.AdvancedStats: true, account.History: true})}
		a.Tenant.Name = "Account " + id
		if id != unconnected {
			a.Credential = simulator.Token(1)
			a.Tenant.Schedule = map[football.Product]string{football.MarketEngine: "@every 1h", football.LiveIntelligence: "@every 8s"}
		}
		w.accounts = append(w.accounts, a)
	}
	w.account(suspended).Tenant.Status = account.Suspended
	yesterday := simulatedNow.AddDate(0, 0, -1)
	for _, p := range both {
		w.account(expired).Tenant.Products[p] = account.Subscription{Expires: &yesterday}
	}
	w.account(entitled).Tenant.Limit = account.Limit{Requests: 60_000, Per: time.Minute, Burst: 60_000}
	w.account(hurried).Tenant.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 1}
	o.Now, o.Quota, o.Tokens = w.clock.Now, demo.Quota, map[string]simulator.Account{simulator.Token(1): {Seed: o.Seed}}
	sim, err := emulator.New(o)
	w.must(err)
	server := httptest.NewServer(sim)
	w.Cleanup(server.Close)
	_, err = w.Enrol(w.Context(), w.accounts, server.URL)
	w.must(err)
}

func (w *simulatedSystem) account(id string) *demo.Account {
	for i := range w.accounts {
		if w.accounts[i].Tenant.ID == id {
			return &w.accounts[i]
		}
	}
	panic("no account " + id)
}

// play runs the live cycles of the past, and two market cycles, the second one last.
func (w *simulatedSystem) play(past time.Duration, details int) {
	w.Helper()
	fetch, err := w.Batch.FetchStep()
	w.must(err)
	transform, publish := w.transformAlike(details), w.publishAlike()
	run := func(p football.Product, steps ...batch.Step) {
		w.Helper()
		w.must(w.cycle(&w.account(entitled).Tenant, p, steps...))
	}
	run(football.MarketEngine, fetch, transform, publish)
	for end := w.now.Add(past); w.now.Before(end); w.now = w.now.Add(demo.PastStep) {
		run(football.LiveIntelligence, fetch, transform, publish)
	}
	run(football.LiveIntelligence, fetch, transform, publish)
	run(football.MarketEngine, fetch, transform, publish)
}

func (w *simulatedSystem) transformAlike(details int) batch.Step {
	return func(ctx context.Context, t batch.Task) (batch.Report, error) {
		s, err := transform.Run(ctx, transform.Options{ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root, Data: t.Data,
			Key: identity.Key{1, 2, 3}, Now: w.Now, Version: "simulated", Details: details})
		return batch.NewReport("transform", s.Cycle, 0), err
	}
}

// publishAlike is the stage publish with numbered runs.
func (w *simulatedSystem) publishAlike() batch.Step {
	return func(ctx context.Context, t batch.Task) (batch.Report, error) {
		w.runs++
		s, err := publish.Run(ctx, publish.Options{ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root,
			Now: w.Now, RunID: fmt.Sprint("run-", w.runs), Version: "simulated"})
		return batch.NewReport("publish", s.Cycle, 0), err
	}
}

// record writes the state files of the accounts without data.
func (w *simulatedSystem) record() {
	w.Helper()
	for _, id := range []string{suspended, expired, waiting, unreached, hurried} {
		tenant := w.account(id).Tenant
		who, err := tenant.FetchTenant()
		w.must(err)
		for p := range tenant.Products {
			root, err := durable.OpenUnsynced(w.Dataset(tenant.ID, p).Dir())
			w.must(err)
			run := health.Run{Step: health.StepFetch, Cycle: "c", StartedAt: simulatedNow.Add(-time.Minute), FinishedAt: simulatedNow.Add(-time.Minute), OK: true, CredentialFingerprint: who.Fingerprint}
			w.must(health.Record(root, run))
			if id == unreached {
				run.OK, run.Code, run.FinishedAt = false, health.CodeUnreachable, simulatedNow
				w.must(health.Record(root, run))
			}
			w.must(root.Close())
		}
	}
}

func (w *simulatedSystem) get(method, path, as string) (status int, body []byte) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.url+"/api/v1"+path, nil)
	w.must(err)
	r.Header.Set("X-Request-Id", "req_example")
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+w.account(as).Token)
	}
	answer, err := http.DefaultClient.Do(r)
	w.must(err)
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	w.must(err)
	return answer.StatusCode, body
}
