package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

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

// simulatedWorld is the whole system on the provider simulator, the same for the same
// seed: the clock, the id key and the names of the runs are fixed, and the provider
// is asked one question at a time. Only ports and API tokens differ from run to run,
// and no answer holds them.
type simulatedWorld struct {
	*testing.T
	*app
	clock    *demoClock
	now      time.Time
	accounts []demoAccount
	runs     int
	url      string
}

// Accounts of the simulated world.
const (
	entitled    = "main"        // to everything, with data
	suspended   = "suspended"   //
	expired     = "expired"     // its subscriptions
	unconnected = "unconnected" // without a provider
	waiting     = "waiting"     // connected, and nothing published yet
	unreached   = "unreached"   // nothing published yet, and the provider cannot be reached
	hurried     = "hurried"     // one request an hour
)

// simulatedNow is when the world is looked at.
var simulatedNow = time.Date(2026, 11, 21, 14, 30, 0, 0, time.UTC)

// newSimulated makes the world, with matches that have been followed for a while,
// and serves it until the test ends.
func newSimulated(t *testing.T, o simulator.Options, past time.Duration, details int) *simulatedWorld {
	t.Helper()
	w := &simulatedWorld{T: t, now: simulatedNow.Add(-past), app: newApp(nil, io.Discard, io.Discard, time.Now, version)}
	w.app.now = func() time.Time { return w.now }
	flags := demoFlags{dir: t.TempDir(), every: time.Hour, liveEvery: cadence}
	_, err := w.demoHouse(&flags)
	w.must(err)
	w.clock = w.demoWorld(flags)
	w.clock.show(w.now)
	w.adapter = alone(w.adapter)
	w.enrolAll(o)
	w.play(past, details)
	w.record()
	w.open()
	return w
}

// alone lets an adapter ask one question at a time.
func alone(lookup func(string) (provider.Provider, bool)) func(string) (provider.Provider, bool) {
	return func(name string) (provider.Provider, bool) {
		p, ok := lookup(name)
		p.Budget.Concurrency = 1
		return p, ok
	}
}

func (w *simulatedWorld) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *simulatedWorld) enrolAll(o simulator.Options) {
	w.Helper()
	both := []football.Product{football.MarketEngine, football.LiveIntelligence}
	for _, id := range []string{entitled, suspended, expired, unconnected, waiting, unreached, hurried} {
		a := demoAccount{tenant: demoTenant(id, both, map[string]bool{account.AdvancedStats: true})}
		a.tenant.Name = "Account " + id
		if id != unconnected {
			a.credential = simulator.Token(1)
			a.tenant.Schedule = map[football.Product]string{football.MarketEngine: "@every 1h", football.LiveIntelligence: "@every 8s"}
		}
		w.accounts = append(w.accounts, a)
	}
	w.account(suspended).tenant.Status = account.Suspended
	yesterday := simulatedNow.AddDate(0, 0, -1)
	for _, p := range both {
		w.account(expired).tenant.Products[p] = account.Subscription{Expires: &yesterday}
	}
	w.account(entitled).tenant.Limit = account.Limit{Requests: 60_000, Per: time.Minute, Burst: 60_000}
	w.account(hurried).tenant.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 1}
	o.Now, o.Quota, o.Tokens = w.clock.now, demoQuota, map[string]simulator.Account{simulator.Token(1): {Seed: o.Seed}}
	sim, err := emulator.New(o)
	w.must(err)
	server := httptest.NewServer(sim)
	w.Cleanup(server.Close)
	_, err = w.enrol(w.Context(), w.accounts, server.URL)
	w.must(err)
}

func (w *simulatedWorld) account(id string) *demoAccount {
	for i := range w.accounts {
		if w.accounts[i].tenant.ID == id {
			return &w.accounts[i]
		}
	}
	panic("no account " + id)
}

// play runs the live cycles of the past and two market cycles, the second at its end.
func (w *simulatedWorld) play(past time.Duration, details int) {
	w.Helper()
	fetch, err := w.fetchStep()
	w.must(err)
	transform, publish := w.transformAlike(details), w.publishAlike()
	run := func(p football.Product, steps ...step) {
		w.Helper()
		w.clock.show(w.now)
		w.must(w.runJob(w.Context(), w.Context(), job{&w.account(entitled).tenant, p}, "", steps, func(report) {}))
	}
	run(football.MarketEngine, fetch, transform, publish)
	for end := w.now.Add(past); w.now.Before(end); w.now = w.now.Add(pastStep) {
		run(football.LiveIntelligence, fetch, transform)
	}
	run(football.LiveIntelligence, fetch, transform, publish)
	run(football.MarketEngine, fetch, transform, publish)
}

// transformAlike is the stage transform with a fixed id key.
func (w *simulatedWorld) transformAlike(details int) step {
	return func(ctx context.Context, t task) (report, error) {
		s, err := transform.Run(ctx, transform.Options{ClientID: t.tenant.ID, Product: t.product, Cycle: t.cycle, Root: t.root, Data: t.data,
			Key: identity.Key{1, 2, 3}, Now: w.app.now, Version: "simulated", Details: details})
		return newReport("transform", s.Cycle, 0), err
	}
}

// publishAlike is the stage publish with runs that are numbered.
func (w *simulatedWorld) publishAlike() step {
	return func(ctx context.Context, t task) (report, error) {
		w.runs++
		s, err := publish.Run(ctx, publish.Options{ClientID: t.tenant.ID, Product: t.product, Cycle: t.cycle, Root: t.root,
			Now: w.app.now, RunID: fmt.Sprint("run-", w.runs), Version: "simulated"})
		return newReport("publish", s.Cycle, 0), err
	}
}

// record says of the accounts without data what their fetches found.
func (w *simulatedWorld) record() {
	w.Helper()
	for _, id := range []string{suspended, expired, waiting, unreached, hurried} {
		tenant := w.account(id).tenant
		who, err := tenant.FetchTenant()
		w.must(err)
		for p := range tenant.Products {
			root, err := durable.OpenUnsynced(w.place(tenant.ID, p).dir())
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

// open serves the world, a little later than the newest cycle.
func (w *simulatedWorld) open() {
	w.Helper()
	w.now = w.now.Add(2345 * time.Millisecond)
	w.clock.show(w.now)
	ctx, cancel := context.WithCancel(context.Background())
	base, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		// A usage folder that is a file keeps the counters in memory: when they are
		// written down is a matter of the machine's clock.
		ended <- w.serve(ctx, serveFlags{listen: "127.0.0.1:0", poll: 10 * time.Millisecond, usage: w.tenants}, func(l listening) { base <- l.BaseURL })
	}()
	w.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
	select {
	case w.url = <-base:
	case err := <-ended:
		ended <- err
		w.Fatal("the API does not open")
	}
}

// get asks for a route below /api/v1 as an account, "" for none.
func (w *simulatedWorld) get(method, path, as string) (status int, body []byte) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.url+"/api/v1"+path, nil)
	w.must(err)
	r.Header.Set("X-Request-Id", "req_example")
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+w.account(as).token)
	}
	answer, err := http.DefaultClient.Do(r)
	w.must(err)
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	w.must(err)
	return answer.StatusCode, body
}
