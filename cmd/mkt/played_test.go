package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
	"mkt/transform/identity"
)

// played is a data root that fills by simulated cycles of one account, in
// simulated time: hours of them in seconds.
type played struct {
	testing.TB
	sim   *betsapi.Simulator
	token string
	now   time.Time
	data  string

	archive *raw.Writer
	resume  map[football.Product]string
}

var playedBegins = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

func newPlayed(t testing.TB, o simulator.Options) *played {
	t.Helper()
	return newPlayedAt(t, playedBegins, o)
}

// newPlayedAt begins at another time.
func newPlayedAt(t testing.TB, begins time.Time, o simulator.Options) *played {
	t.Helper()
	p := &played{TB: t, now: begins, data: filepath.Join(t.TempDir(), "data"), resume: map[football.Product]string{}}
	o.Now = func() time.Time { return p.now }
	sim, err := betsapi.NewSimulator(o)
	p.must(err)
	p.sim, p.token = sim, sim.Tokens()[0]
	return p
}

func (p *played) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// Get, and what follows, make it the exchange of its own cycles.
func (p *played) Get(_ context.Context, r provider.Request) (provider.Payload, error) {
	w := httptest.NewRecorder()
	p.sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, r.Path+"?"+r.Query.Encode()+"&token="+p.token, nil))
	if w.Code != http.StatusOK {
		return provider.Payload{}, fmt.Errorf("%s: status %d: %w", r.Endpoint, w.Code, provider.ErrUnreachable)
	}
	entry, err := p.archive.Add(raw.Response{Endpoint: r.Endpoint, Path: r.Path, Query: r.Query, Attempt: 1, Status: 200, FetchedAt: p.now}, w.Body.Bytes())
	return provider.Payload{Number: entry.Number, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: p.now, Body: w.Body.Bytes()}, err
}

func (p *played) Concurrency() int              { return 1 }
func (p *played) Quota() (provider.Quota, bool) { return provider.Quota{}, false }
func (p *played) Now() time.Time                { return p.now }
func (p *played) Progress(int, int)             {}

// place is the account's folder for a product.
func (p *played) place(product football.Product) place { return place{p.data, "acme", product} }

// cycle fetches, transforms and publishes once.
func (p *played) cycle(product football.Product) publish.Summary {
	p.Helper()
	data, err := durable.OpenRoot(p.data)
	p.must(err)
	defer data.Close()
	root, err := durable.OpenRoot(p.place(product).dir())
	p.must(err)
	defer root.Close()
	id := layout.NewCycleID(p.now, string(product))
	p.archive, err = raw.Create(root, id, nil)
	p.must(err)
	ask := func() (provider.Asked, error) { return betsapi.Provider().Markets.Ask(p.Context(), p) }
	if product == football.LiveIntelligence {
		ask = func() (provider.Asked, error) {
			return betsapi.Provider().Live.Ask(p.Context(), p, p.resume[product])
		}
	}
	asked, err := ask()
	p.must(err)
	p.resume[product] = asked.Resume
	_, err = p.archive.Seal(raw.Cycle{ClientID: "acme", Product: product, Provider: "betsapi", StartedAt: p.now, FinishedAt: p.now,
		Outcome: raw.Complete, ListingComplete: asked.ListingComplete, Resume: asked.Resume, NotOffered: asked.NotOffered})
	p.must(err)
	_, err = transform.Run(p.Context(), transform.Options{ClientID: "acme", Product: product, Cycle: id, Root: root, Data: data, Key: identity.Key{1},
		Now: func() time.Time { return p.now.Add(time.Second) }, Version: "test"})
	p.must(err)
	s, err := publish.Run(p.Context(), publish.Options{ClientID: "acme", Product: product, Cycle: id, Root: root,
		Now: func() time.Time { return p.now.Add(2 * time.Second) }, Version: "test"})
	p.must(err)
	return s
}

// play runs live cycles for that long, eight seconds apart.
func (p *played) play(length time.Duration) {
	p.Helper()
	for end := p.now.Add(length); p.now.Before(end); p.now = p.now.Add(8 * time.Second) {
		p.cycle(football.LiveIntelligence)
	}
	p.now = p.now.Add(-8 * time.Second)
}

// app is the program, looking at what was played a few seconds later.
func (p *played) app() *app {
	return &app{data: p.data, output: oneOf("text", "text", "json"), now: func() time.Time { return p.now.Add(5 * time.Second) }}
}

// file is a path beside the data root.
func (p *played) file(name string) string { return filepath.Join(p.data, "..", name) }
