package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/clock"
	"mkt/transform"
	"mkt/transform/identity"
)

// pipeline runs the cycles of the account acme on a provider, on the clock of its world.
type pipeline struct {
	*world
	provider string
	url      string
	products []football.Product
	roots    map[football.Product]*durable.Disk
	data     *durable.Disk
}

const secret = "12345-CANARYcanary99"

func newPipeline(t *testing.T, name string) *pipeline {
	w := newWorld(t)
	w.setClock(servetest.Start)
	p := &pipeline{world: w, provider: name, products: []football.Product{football.MarketEngine}, roots: map[football.Product]*durable.Disk{}}
	capable, ok := all.Lookup(name)
	if !ok {
		t.Fatal("no adapter: ", name)
	}
	if slices.Contains(capable.Capabilities, provider.LiveStats) {
		p.products = append(p.products, football.LiveIntelligence)
	}
	w.add("acme", func(a *account.Account) {
		a.Provider.Name, a.Provider.Capabilities = name, capable.Capabilities
		a.Features[account.History] = true
	})
	sim, err := emulators.New(name, simulator.Options{Seed: 7, Fixtures: 12, InPlay: 5, Quota: 1_000_000, Now: w.now,
		Tokens: map[string]simulator.Account{secret: {Seed: 7}}})
	must(t, err)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	p.url = server.URL
	open := func(parts ...string) *durable.Disk {
		d, err := durable.OpenRoot(filepath.Join(append([]string{w.dataDir}, parts...)...))
		must(t, err)
		t.Cleanup(func() { d.Close() })
		return d
	}
	p.data = open()
	for _, product := range p.products {
		p.roots[product] = open(layout.TenantProduct("acme", string(product)))
	}
	w.realtime.Tick = 10 * time.Millisecond
	w.edit = func(o *serve.Options) { o.Extensions = []string{account.History} }
	return p
}

// cycle runs a cycle of a product, and returns how many events there are then.
func (p *pipeline) cycle(product football.Product) (lastSeq uint64) {
	p.t.Helper()
	root, at := p.roots[product], p.now()
	now := func() time.Time { return at }
	_, err := fetch.Run(context.Background(), fetch.Options{Product: product, Root: root, Now: now, Provider: all.Lookup,
		Tenant: fetch.Tenant{ID: "acme", Provider: p.provider, SealedCredential: "sealed", Fingerprint: fingerprint, BaseURL: p.url, AllowPrivateAddress: true},
		Open:   func(string, string, string) (credential.Secret, error) { return credential.NewSecret(secret), nil }})
	must(p.t, err)
	_, err = transform.Run(context.Background(), transform.Options{ClientID: "acme", Product: product, Root: root, Data: p.data, Key: identity.Key{1}, Now: now, Version: "test"})
	must(p.t, err)
	s, err := publish.Run(context.Background(), publish.Options{ClientID: "acme", Product: product, Root: root, Now: now, Version: "test",
		Check: func(context.Context, layout.CycleID, string) error { return nil }})
	must(p.t, err)
	return s.LastSeq
}

// played runs cycles of markets every 24 s and of matches in play every 8 s, while a client reads
// everything after each, and a socket gets its pushes.
func (p *pipeline) played(cycles int) *recording {
	p.t.Helper()
	for _, product := range p.products {
		p.cycle(product)
	}
	p.start()
	r := &recording{[]time.Time{servetest.Start}, map[time.Time]map[string]string{servetest.Start: answersTo(p.world)}, map[time.Time][]string{}}
	s := p.subscribed()
	for n := 1; n <= cycles; n++ {
		for _, product := range p.products {
			at := servetest.Start.Add(time.Duration(n) * servetest.LiveTick)
			switch {
			case product == football.LiveIntelligence:
			case n%3 != 0:
				continue
			default:
				at = at.Add(-3 * time.Second) // never at the same time
			}
			p.setClock(at)
			r.pushes[at] = s.published(product, p.cycle(product), at)
			r.times, r.bodies[at] = append(r.times, at), answersTo(p.world)
		}
	}
	must(p.t, p.stop())
	return r
}

// subscribed returns a socket that is subscribed to the channels of the account's products.
func (p *pipeline) subscribed() *socket {
	p.t.Helper()
	if len(p.products) > 1 {
		return subscribed(p.world)
	}
	s, _ := p.connect("acme")
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK {
		p.t.Fatalf("subscribe: %+v", a.Error)
	}
	return s
}

// published returns the pushes of one publication, in order.
func (s *socket) published(product football.Product, lastSeq uint64, at time.Time) (list []string) {
	s.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
		e, err := s.Next(ctx)
		cancel()
		must(s.t, err)
		body := checked(s.t, e.Name, e.Args)
		list = append(list, e.Name+" "+string(body))
		var push struct {
			Cursor uint64
			Meta   struct {
				PublishedAt time.Time `json:"published_at"`
			}
		}
		must(s.t, json.Unmarshal(body, &push))
		if product == football.MarketEngine && push.Cursor == lastSeq || product == football.LiveIntelligence && push.Meta.PublishedAt.Equal(at) {
			return list
		}
	}
}

// answersTo returns the bodies of all routes of the data, with those of each fixture and match of the lists.
func answersTo(w *world) map[string]string {
	w.t.Helper()
	paths := []string{"/fixtures", "/changes?limit=200", "/schema"}
	add := func(list string, of func(item)) {
		for path := list; ; {
			r := w.get(path, "acme")
			if r.status == 403 || r.status == 409 {
				return // the provider does not have this product
			}
			page := r.page(w.t)
			paths = append(paths, path)
			for _, i := range page.Data {
				of(i)
			}
			if !page.Pagination.HasMore || len(paths) > 60 {
				return
			}
			path = list + "&cursor=" + *page.Pagination.NextCursor
		}
	}
	add("/fixtures?limit=7", func(f item) {
		path := "/fixtures/" + f.FixtureID
		paths = append(paths, path)
		list := w.get(path+"/markets?limit=3", "acme").page(w.t)
		paths = append(paths, path+"/markets?limit=3", path+"/markets")
		for _, m := range list.Data[:min(1, len(list.Data))] {
			paths = append(paths, path+"/markets/"+m.MarketID, "//api/ext/history/v0"+path+"/markets/"+m.MarketID)
		}
	})
	add("/live?limit=3", func(f item) {
		for _, part := range []string{"", "/timeline", "/momentum", "/stats"} {
			paths = append(paths, "/live/"+f.FixtureID+part)
		}
	})
	return w.record(paths)
}

// TestReplayOfProviders: what a client of any provider was answered and pushed is answered and
// pushed again, byte for byte, by hand and at a speed.
func TestReplayOfProviders(t *testing.T) {
	cycles := 4
	if !testing.Short() {
		cycles = 60
	}
	for _, name := range emulators.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPipeline(t, name)
			r := p.played(cycles)
			bodies, pushes := 0, 0
			for _, at := range r.times {
				bodies, pushes = bodies+len(r.bodies[at]), pushes+len(r.pushes[at])
			}
			p.byHand(r)
			events := p.atSpeed(r)
			t.Logf("%d publications of %d products: %d bodies, %d pushes, %d events", len(r.times), len(p.products), bodies, pushes, events)
			if bodies == 0 || pushes == 0 || events == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// byHand compares every publication.
func (p *pipeline) byHand(r *recording) {
	p.t.Helper()
	step, moved := make(chan struct{}), make(chan time.Time, 1)
	then := *p
	then.world = p.replayed(clock.Replay(r.times[0], r.times[len(r.times)-1], 0, time.Now),
		serve.Replay{Step: step, Moved: func(_ serve.ReplayEvent, at time.Time) { moved <- at }})
	r.compareWith(p.t, answersTo(then.world), r.times[0])
	s := then.subscribed()
	for _, at := range r.times[1:] {
		step <- struct{}{}
		if reached := <-moved; !reached.Equal(at) {
			p.t.Fatalf("a step led to %v, want %v", reached, at)
		}
		if got := s.pushed(len(r.pushes[at])); !slices.Equal(got, slices.Sorted(slices.Values(r.pushes[at]))) {
			p.t.Errorf("pushed at %v:\n%.2000s\nwas\n%.2000s", at, got, r.pushes[at])
		}
		r.compareWith(p.t, answersTo(then.world), at)
	}
	must(p.t, then.stop())
}

// atSpeed compares the events of a socket and the last publications, and returns how many events there were.
func (p *pipeline) atSpeed(r *recording) int {
	p.t.Helper()
	from, to := r.times[0], r.times[len(r.times)-1]
	ended := make(chan struct{})
	speed := to.Sub(from).Seconds() / 3
	then := *p
	then.world = p.replayed(clock.Replay(from, to, speed, time.Now), serve.Replay{Moved: func(serve.ReplayEvent, time.Time) { close(ended) }})
	s, _ := then.connect("acme")
	var first push
	var want []string
	for _, at := range r.times {
		for _, text := range r.pushes[at] {
			if text, is := strings.CutPrefix(text, "changes "); is {
				var body push
				must(p.t, json.Unmarshal([]byte(text), &body))
				if len(want) == 0 {
					first = body
				}
				want = append(want, texts(body.Events)...)
			}
		}
	}
	a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": seqOf(p.t, first.Events[0]) - 1, "backlog": 1})
	if !a.OK {
		p.t.Fatalf("subscribe: %+v", a.Error)
	}
	got := texts(a.Events)
	for len(got) < len(want) {
		got = append(got, texts(s.changes().Events)...)
	}
	if !slices.Equal(got, want) {
		p.t.Error("at a speed: other events, or in another order")
	}
	<-ended
	r.compareWith(p.t, answersTo(then.world), to)
	must(p.t, then.stop())
	return len(got)
}

// compareWith reports the bodies of a time that are different, of which at most one is shown in full.
func (r *recording) compareWith(t testing.TB, got map[string]string, at time.Time) {
	t.Helper()
	want := r.bodies[at]
	if len(got) != len(want) {
		t.Errorf("at %v: %d bodies, want %d", at, len(got), len(want))
	}
	var different []string
	for path := range want {
		if got[path] != want[path] {
			different = append(different, path)
		}
	}
	if slices.Sort(different); len(different) > 0 {
		t.Errorf("at %v, %d bodies are different, first %s:\n%.3000s\nwas\n%.3000s", at, len(different), fmt.Sprint(different[0]), got[different[0]], want[different[0]])
	}
}
